/** Measures blocking of the event loop, which serves every workspace. */
export interface LoopProbe {
  /** Stops and returns the longest blocking time in milliseconds. */
  stop(): number;
}

/**
 * Measures the CPU time of this thread between two event loop turns, during which all other requests wait. CPU time
 * excludes waiting on a busy machine.
 */
export function startLoopProbe(): LoopProbe {
  let longest = 0;
  let before = usedMs();
  const look = (): void => {
    const now = usedMs();
    longest = Math.max(longest, now - before);
    before = now;
  };
  const timer = setInterval(look, 1);
  return {
    stop: () => {
      clearInterval(timer);
      look();
      return longest;
    },
  };
}

function usedMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}
