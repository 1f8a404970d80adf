import {
  CURVE_LANE_COUNTS,
  cpuFeatures,
  curveLanes,
  hardwareThreads,
  implementation,
  setCurveLanes,
  setImplementation,
  setThreads,
  timeStamp,
} from '../src';

afterEach(() => {
  setImplementation('auto');
  setCurveLanes('auto');
});

describe('CPU implementations', () => {
  it('selects the widest implementation by default and any supported one by name', () => {
    const { aesni, avx2, avx512, bmi2, vaes, armAes } = cpuFeatures();
    const wide = avx2 && bmi2 && aesni;
    const best = wide && avx512 && vaes ? 'avx512' : wide ? 'avx2' : aesni ? 'aesni' : armAes ? 'armv8' : 'portable';
    expect(implementation()).toBe(best);
    setImplementation('portable');
    expect(implementation()).toBe('portable');
    setImplementation('auto');
    expect(implementation()).toBe(best);
  });

  it('rejects unsupported implementations', () => {
    expect(() => setImplementation('neon' as 'portable')).toThrow('the neon implementation is not supported here');
  });

  it('supports exactly the lane counts of the CPU', () => {
    const { fma, avx512, ifma } = cpuFeatures();
    const counts = [true, fma, avx512 && ifma];
    CURVE_LANE_COUNTS.forEach((lanes, at) => {
      if (counts[at] === true) {
        setCurveLanes(lanes);
        expect(curveLanes()).toBe(lanes);
      } else {
        expect(() => setCurveLanes(lanes)).toThrow(`batches of ${lanes} lanes are not supported here`);
      }
    });
    setCurveLanes('auto');
    expect(() => setCurveLanes(3 as 1)).toThrow('batches of 3 lanes are not supported here');
    expect(() => setCurveLanes(0 as 1)).toThrow(RangeError);
  });

  it('limits the threads', () => {
    expect(hardwareThreads()).toBeGreaterThanOrEqual(1);
    expect(() => setThreads(0)).toThrow(RangeError);
    expect(() => setThreads(1.5)).toThrow(RangeError);
    setThreads(hardwareThreads());
  });

  it('has an increasing time stamp counter if supported', () => {
    const first = timeStamp();
    if (cpuFeatures().aesni) expect(timeStamp()).toBeGreaterThan(first);
    else expect(first).toBeGreaterThanOrEqual(0n);
  });
});
