/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
/** Files of a form: each is uploaded as soon as it is selected, and the form sends their ids. */
const FILES_MAX = 20;

/** The pending or completed uploads per control. */
const uploads = new WeakMap<HTMLInputElement, Promise<readonly string[]>>();

/** Uploads the selected files; the control shows failures. */
export function uploadFiles(
  input: HTMLInputElement,
  url: string,
  place: Readonly<Record<string, string>>,
): void {
  const files = [...(input.files ?? [])].slice(0, FILES_MAX);
  input.setCustomValidity("");
  const sent = Promise.all(files.map((file) => send(file, url, place))).catch((error: unknown) => {
    input.setCustomValidity(error instanceof Error ? error.message : "The upload failed.");
    input.reportValidity();
    return [];
  });
  uploads.set(input, sent);
}

/** The ids of a control's files, after all uploads have completed. */
export async function uploadedIds(input: HTMLInputElement): Promise<string> {
  return ((await uploads.get(input)) ?? []).join(",");
}

async function send(
  file: File,
  url: string,
  place: Readonly<Record<string, string>>,
): Promise<string> {
  const address = new URL(url, location.href);
  address.searchParams.set("name", file.name);
  const response = await fetch(address, {
    method: "POST",
    headers: { ...place, "content-type": "application/octet-stream" },
    body: file,
  });
  const answer = (await response.json()) as { data?: { id: string }; detail?: string };
  if (!answer.data) throw new Error(answer.detail ?? "The file could not be uploaded.");
  return answer.data.id;
}
