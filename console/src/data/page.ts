/** Reads a page of ours, as the server draws it; undefined where it is not there to be read. */
export async function readPage(path: string, signal?: AbortSignal): Promise<Document | undefined> {
  const answer = await fetch(path, {
    headers: { accept: "text/html" },
    redirect: "error",
    ...(signal && { signal }),
  });
  if (!answer.ok) return undefined;
  return new DOMParser().parseFromString(await answer.text(), "text/html");
}

/** A request that goes on while its page goes away. */
export const fetchLast: typeof fetch = (input, init) => fetch(input, { ...init, keepalive: true });
