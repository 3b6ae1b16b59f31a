/** Stacks to unwind on an interruption, in order of creation. */
const stacks: AsyncDisposableStack[] = [];

/** Also unwinds the stack when the proof is interrupted. */
export function interruptible(stack: AsyncDisposableStack): AsyncDisposableStack {
  stacks.push(stack);
  return stack;
}

/** From now on, SIGINT and SIGTERM end all started processes, and then this one. */
export function endOnInterrupt(): void {
  let isEnding = false;
  const end = async (): Promise<void> => {
    if (isEnding) return;
    isEnding = true;
    process.stderr.write("interrupted; ending what was started\n");
    for (const stack of stacks.toReversed()) await stack.disposeAsync().catch(() => undefined);
    process.exit(130);
  };
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => void end());
}
