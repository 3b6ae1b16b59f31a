/** Files of the workspace: sent as they are, and shown by links that live for a while. */
import { ApiError, type Schemas, useOp } from "../api.ts";
import { BASE_PATH, place } from "../place.ts";
import { uploadTo } from "./upload.ts";

const LINK_FRESH_MS = 240_000;

/** Sends a file of this place. */
export function uploadFile(file: File): Promise<Schemas["File"]> {
  return uploadTo(file, { ...place, baseUrl: BASE_PATH });
}

/** An address of a file that a picture or a link can use: neither can name a workspace in a header. */
export function useFileLink(fileId: string | undefined): string | undefined {
  return useFileAddress(fileId).link;
}

interface FileAddress {
  readonly link: string | undefined;
  /** True where there is no such file any more, or none for whoever asks. */
  readonly isGone: boolean;
}

export function useFileAddress(fileId: string | undefined): FileAddress {
  const { data, error } = useOp(
    "files.create_link",
    { params: { id: fileId ?? "" } },
    { enabled: fileId !== undefined, staleTime: LINK_FRESH_MS },
  );
  const isGone = error instanceof ApiError && error.status === 404;
  if (data === undefined) return { link: undefined, isGone };
  const { pathname, search } = new URL(data.data.url, location.origin);
  return { link: `${pathname}${search}`, isGone };
}
