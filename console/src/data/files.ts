/** Files of the workspace: sent as they are, and shown by links that live for a while. */
import { ApiError, type Schemas, useOp } from "./api.ts";
import { BASE_PATH, place } from "./place.ts";

const LINK_FRESH_MS = 240_000;

/** Sends a file. It is nobody's until it is attached to something. */
export async function uploadFile(file: File): Promise<Schemas["File"]> {
  const name = file.name || "picture.png";
  const answer = await fetch(`${BASE_PATH}/api/v1/files?name=${encodeURIComponent(name)}`, {
    method: "POST",
    headers: {
      "content-type": "application/octet-stream",
      ...(place.workspace !== undefined && { "x-workspace": place.workspace }),
      "x-environment": place.environment,
    },
    body: file,
  });
  const said = (await answer.json()) as object;
  if (!answer.ok) throw new ApiError(answer.status, said);
  return (said as { readonly data: Schemas["File"] }).data;
}

/** An address of a file that a picture or a link can use: neither can name a workspace in a header. */
export function useFileLink(fileId: string | undefined): string | undefined {
  const { data } = useOp(
    "files.create_link",
    { params: { id: fileId ?? "" } },
    { enabled: fileId !== undefined, staleTime: LINK_FRESH_MS },
  );
  if (data === undefined) return undefined;
  const { pathname, search } = new URL(data.data.url, location.origin);
  return `${pathname}${search}`;
}
