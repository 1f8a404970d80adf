/**
 * Stops `Date.now` one second after a full minute for the rest of a test file: jest gives each file its own globals. Rate limits
 * count by the minute of the clock, so requests up to a limit would fail when a minute ends between two of them.
 */
export function stopWallClock(): void {
  const stopped = Math.floor(Date.now() / 60_000) * 60_000 + 1_000;
  Date.now = () => stopped;
}
