/** The value, or a failure when it takes longer than that. What was asked for goes on and is nobody's concern. */
export async function withTimeout<T>(limitMs: number, work: Promise<T>): Promise<T> {
  work.catch(() => undefined);
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`It took more than ${limitMs} ms.`)), limitMs);
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
