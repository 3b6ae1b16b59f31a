/** A small form next to a button, in the top layer. The browser closes it. */
import { type ReactNode, useId, useRef } from "react";
import { placeBeside } from "./placement.ts";

interface PopoverProps {
  readonly label: string;
  /** The class of the button that opens it. */
  readonly className?: string;
  readonly button: ReactNode;
  readonly align?: "start" | "end";
  /** The reason why the button is disabled. */
  readonly disabled?: string | undefined;
  /** Receives a function that closes it. */
  readonly children: (close: () => void) => ReactNode;
}

export function Popover(props: PopoverProps) {
  const id = useId();
  const opener = useRef<HTMLButtonElement>(null);
  const box = useRef<HTMLDivElement>(null);
  const open = (): void => {
    const at = opener.current?.getBoundingClientRect();
    const { current } = box;
    if (!at || !current) return;
    const size = { width: current.offsetWidth, height: current.offsetHeight };
    const view = { width: innerWidth, height: innerHeight };
    const { left, top } = placeBeside(at, size, view, props.align ?? "end");
    current.style.left = `${left}px`;
    current.style.top = `${top}px`;
    current.querySelector<HTMLElement>("button, input, select")?.focus();
  };
  return (
    <>
      <button
        ref={opener}
        type="button"
        className={props.className ?? "btn"}
        aria-label={props.label}
        aria-haspopup="true"
        title={props.disabled ?? props.label}
        disabled={props.disabled !== undefined}
        popoverTarget={id}
      >
        {props.button}
      </button>
      <div
        id={id}
        ref={box}
        popover="auto"
        className="popover"
        role="group"
        aria-label={props.label}
        // Nested popovers fire toggle events that bubble.
        onToggle={(event) => {
          if (event.target === event.currentTarget && event.newState === "open") open();
        }}
      >
        {props.children(() => box.current?.hidePopover())}
      </div>
    </>
  );
}
