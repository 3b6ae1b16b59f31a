/** The text and images that a node sends to a model. */
import { StepFailure, type StepTools } from "#domains/runs/index.ts";
import type { ChatMessage } from "#domains/connectors/index.ts";

type Part = Exclude<ChatMessage["content"], string | undefined>[number];

/** A prompt as text; other values are sent as JSON. */
export function toPromptText(prompt: unknown): string {
  if (typeof prompt === "string") return prompt;
  return prompt === undefined || prompt === null ? "" : JSON.stringify(prompt, null, 1);
}

/** The message of a prompt with its images. */
export async function toUserMessage(
  { files: opened }: Pick<StepTools, "files">,
  prompt: unknown,
  files: readonly unknown[] = [],
): Promise<ChatMessage> {
  const text = toPromptText(prompt);
  if (files.length === 0) return { role: "user", content: text };
  const pictures: Part[] = [];
  for (const [index, file] of files.entries()) {
    const isHandle = Object.hasOwn(Object(file) as object, "$file");
    pictures.push(isHandle ? await readPicture(opened, file, index) : toPicture(file, index));
  }
  return { role: "user", content: [{ type: "text", text }, ...pictures] };
}

const PICTURE_BYTES_MAX = 5_000_000;

async function readPicture(
  files: StepTools["files"],
  handle: unknown,
  index: number,
): Promise<Part> {
  const { file, read } = await files.open(handle, `/files/${index}`);
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of read()) {
    bytes += chunk.length;
    if (bytes > PICTURE_BYTES_MAX) {
      const message = `/files/${index} is larger than 5 MB.`;
      throw new StepFailure("file_too_large", message, { retryable: false });
    }
    chunks.push(chunk);
  }
  return {
    type: "image",
    mediaType: file.mediaType,
    data: Buffer.concat(chunks).toString("base64"),
  };
}

function toPicture(file: unknown, index: number): Part {
  const { url, mediaType, data } = Object(file) as Readonly<Record<string, unknown>>;
  if (typeof url === "string") return { type: "image", url };
  if (typeof data === "string") {
    return {
      type: "image",
      data,
      mediaType: typeof mediaType === "string" ? mediaType : "image/png",
    };
  }
  throw new StepFailure(
    "invalid_config",
    `/files/${index} must have a url, or mediaType and data`,
    {
      retryable: false,
    },
  );
}
