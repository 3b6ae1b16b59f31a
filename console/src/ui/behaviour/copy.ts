import { notify } from "../toast.tsx";

/** Copies a text and says so; a browser that refuses is told of too. */
export async function copyText(text: string, what: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    notify(`${what} copied.`);
  } catch {
    notify("The browser does not allow copying here.");
  }
}
