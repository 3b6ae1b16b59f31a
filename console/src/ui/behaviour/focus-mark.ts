/** The part of the page that received the focus because the focused element was removed. */
let recovered: HTMLElement | undefined;

/** Marks the part until it loses the focus. */
export function markRecovered(part: HTMLElement): void {
  recovered = part;
  part.addEventListener("blur", () => (recovered = undefined), { once: true });
}

/** Returns whether the part received the focus because the focused element was removed. */
export const isRecovered = (target: EventTarget | null): boolean =>
  recovered !== undefined && target === recovered;
