import { ApiError, createClient } from "@millrace/client";
import { fetchLast } from "../data/page.ts";
import { uploadTo } from "../data/files/upload.ts";
import { start } from "./start.ts";

const { workspace, environment, prefix } = start;
const baseUrl = `${location.origin}${prefix}`;
export const client = createClient({ baseUrl, workspace, environment, retries: 1 });

/** For requests during page unload. */
export const lastClient = createClient({
  baseUrl,
  workspace,
  environment,
  retries: 0,
  fetch: fetchLast,
});

/** Uploads a file and returns its id. */
export async function upload(file: File): Promise<string> {
  return (await uploadTo(file, { baseUrl, workspace, environment })).id;
}

/** Returns the message for an error. */
export function wordsOf(error: unknown): string {
  if (error instanceof ApiError) return error.message;
  return "Can't reach the server. Your input is kept. Try again.";
}
