/** Files of the workspace: uploaded unchanged, and displayed through links that expire. */
import { ApiError, type Schemas, useOp } from "../api.ts";
import { BASE_PATH, place } from "../place.ts";
import { uploadTo } from "./upload.ts";

const LINK_FRESH_MS = 240_000;

export function uploadFile(file: File): Promise<Schemas["File"]> {
  return uploadTo(file, { ...place, baseUrl: BASE_PATH });
}

/** Returns a temporary file URL for images and links, which can't send a workspace header. */
export function useFileLink(fileId: string | undefined): string | undefined {
  return useFileAddress(fileId).link;
}

interface FileAddress {
  readonly link: string | undefined;
  /** True if the file was deleted, or the user may not see it. */
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
