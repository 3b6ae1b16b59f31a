import { ApiError, type Schemas } from "@millrace/client";
import type { Environment } from "../place.ts";

export interface UploadPlace {
  readonly baseUrl: string;
  readonly workspace: string | undefined;
  readonly environment: Environment;
}

/** Uploads a file. It has no owner until it is attached to a resource. */
export async function uploadTo(
  file: File,
  { baseUrl, workspace, environment }: UploadPlace,
): Promise<Schemas["File"]> {
  const name = file.name || "picture.png";
  const answer = await fetch(`${baseUrl}/api/v1/files?name=${encodeURIComponent(name)}`, {
    method: "POST",
    headers: {
      "content-type": "application/octet-stream",
      ...(workspace !== undefined && { "x-workspace": workspace }),
      "x-environment": environment,
    },
    body: file,
  });
  const said = (await answer.json()) as object;
  if (!answer.ok) throw new ApiError(answer.status, said);
  return (said as { readonly data: Schemas["File"] }).data;
}
