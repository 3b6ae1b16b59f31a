/** Resolves with the work, or rejects after the time limit. The work itself continues. */
export async function withTimeout<T>(limitMs: number, work: Promise<T>): Promise<T> {
  work.catch(() => undefined);
  const { promise: timeout, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`It took more than ${limitMs} ms.`)), limitMs);
  try {
    return await Promise.race([work, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
