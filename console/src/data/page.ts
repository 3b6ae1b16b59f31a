/** Loads a server-rendered page; undefined if it can't be loaded. */
export async function readPage(path: string, signal?: AbortSignal): Promise<Document | undefined> {
  const answer = await fetch(path, {
    headers: { accept: "text/html" },
    redirect: "error",
    ...(signal && { signal }),
  });
  if (!answer.ok) return undefined;
  return new DOMParser().parseFromString(await answer.text(), "text/html");
}

/** A request that completes even if its page is closed. */
export const fetchLast: typeof fetch = (input, init) => fetch(input, { ...init, keepalive: true });
