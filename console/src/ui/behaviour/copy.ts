import { notify } from "../toast.tsx";

/** Copies a text and shows a toast, also if the browser denies it. */
export async function copyText(text: string, what: string): Promise<void> {
  if (await toClipboard(text)) notify(`${what} copied.`);
}

/** Copies a text; returns whether the browser allowed it, and shows an error if not. */
export async function toClipboard(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    notify("The browser does not allow copying.");
    return false;
  }
}
