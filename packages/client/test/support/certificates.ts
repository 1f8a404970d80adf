/* Certificates for loopback, only for these tests; valid for 100 years. */

export interface TestCertificate {
  readonly cert: string;
  readonly key: string;
}

/** A self-signed certificate of 127.0.0.1 and localhost. */
export const LOOPBACK: TestCertificate = {
  cert: [
    '-----BEGIN CERTIFICATE-----',
    'MIIBpjCCAU2gAwIBAgIUeNqUQoKkOI15j4WW9FWZan+7PbEwCgYIKoZIzj0EAwIw',
    'GjEYMBYGA1UEAwwPYSBub2RlIG9mIHRlc3RzMCAXDTI2MTEyMjE4MTIyMloYDzIx',
    'MjYxMDI5MTgxMjIyWjAaMRgwFgYDVQQDDA9hIG5vZGUgb2YgdGVzdHMwWTATBgcq',
    'hkjOPQIBBggqhkjOPQMBBwNCAATRdEYkI/rE68TvqQwsHM8z+RrdOdLEValFtNio',
    'zoBQZWntQH9Co8h7w1hdeOtByvw4B1KlMhoXsUqkcuKnmLjVo28wbTAdBgNVHQ4E',
    'FgQUkLyB15fZYJkkKl5T0a0mPTxCRvUwHwYDVR0jBBgwFoAUkLyB15fZYJkkKl5T',
    '0a0mPTxCRvUwDwYDVR0TAQH/BAUwAwEB/zAaBgNVHREEEzARhwR/AAABgglsb2Nh',
    'bGhvc3QwCgYIKoZIzj0EAwIDRwAwRAIgQn4G0PbMf1ty4i3PdAc7Otjp88iOH0bD',
    '2g9FLtTZctkCIClX/DkGeZ4EYgY+fnQAheJDJQRyta4apYJq05rcSrpC',
    '-----END CERTIFICATE-----',
  ].join('\n'),
  key: [
    '-----BEGIN PRIVATE KEY-----',
    'MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg/rUt8EsJjCVIQRwx',
    '2UkPDbGPigBKjcodQVvhfPaXJKWhRANCAATRdEYkI/rE68TvqQwsHM8z+RrdOdLE',
    'ValFtNiozoBQZWntQH9Co8h7w1hdeOtByvw4B1KlMhoXsUqkcuKnmLjV',
    '-----END PRIVATE KEY-----',
  ].join('\n'),
};

/** A certificate of another host. */
export const ELSEWHERE: TestCertificate = {
  cert: [
    '-----BEGIN CERTIFICATE-----',
    'MIIBqTCCAU+gAwIBAgIUEgKdllBm/xcbQZO6NFpQe+iqwN4wCgYIKoZIzj0EAwIw',
    'GjEYMBYGA1UEAwwPYSBub2RlIG9mIHRlc3RzMCAXDTI2MTEyMjE4MTIyMloYDzIx',
    'MjYxMDI5MTgxMjIyWjAaMRgwFgYDVQQDDA9hIG5vZGUgb2YgdGVzdHMwWTATBgcq',
    'hkjOPQIBBggqhkjOPQMBBwNCAASKKebe6NDAm/EHZFDCDqMI407q1eWIxo3DfWI0',
    'SfDCcjpH50E2QsP25ys00uZOixorr0SZaAtB2Z2h4crYHLl5o3EwbzAdBgNVHQ4E',
    'FgQUnM55TmxkUlpYAaFSHnWr81VZv5wwHwYDVR0jBBgwFoAUnM55TmxkUlpYAaFS',
    'HnWr81VZv5wwDwYDVR0TAQH/BAUwAwEB/zAcBgNVHREEFTATghFlbHNld2hlcmUu',
    'ZXhhbXBsZTAKBggqhkjOPQQDAgNIADBFAiEA9GIsIvdakLifYVa7pOW8rtCxfQ8M',
    'Z3h7qtsrRNmrsXECIAaNefy8XLGFP/5irHPDHK9UvHimqoATHQwhWwDQEBA6',
    '-----END CERTIFICATE-----',
  ].join('\n'),
  key: [
    '-----BEGIN PRIVATE KEY-----',
    'MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgFEZm7FDQgkzmBqER',
    'VQVxaGwQgQaaJh+B6liyfpvbJ1ehRANCAASKKebe6NDAm/EHZFDCDqMI407q1eWI',
    'xo3DfWI0SfDCcjpH50E2QsP25ys00uZOixorr0SZaAtB2Z2h4crYHLl5',
    '-----END PRIVATE KEY-----',
  ].join('\n'),
};
