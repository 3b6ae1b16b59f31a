import { notify } from "../toast.tsx";

/** Copies a text and says so; a browser that refuses is told of too. */
export async function copyText(text: string, what: string): Promise<void> {
  if (await toClipboard(text)) notify(`${what} copied.`);
}

/** Puts a text into the clipboard; tells whether the browser allowed it, and the reader where it did not. */
export async function toClipboard(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    notify("The browser does not allow copying here.");
    return false;
  }
}
