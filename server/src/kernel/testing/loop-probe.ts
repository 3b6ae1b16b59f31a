/** A watch on the event loop, which serves every workspace. */
export interface LoopProbe {
  /** Ends it; returns the longest time in milliseconds that the loop worked without turning. */
  stop(): number;
}

/**
 * Measures the processor time that this thread uses between two turns of its event loop: for so long every other
 * request waits. Time in which a busy machine does not run us at all does not count.
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
