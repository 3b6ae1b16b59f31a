import { type ReactNode, useEffect, useId, useRef, useState } from "react";
import { PlainButton } from "../../ui/form/button.tsx";

interface PopoverProps {
  readonly label: string;
  readonly trigger: ReactNode;
  readonly className: string;
  readonly align?: "start" | "end";
  readonly above?: boolean;
  /** The visible text of the trigger is its accessible name. */
  readonly isNamedByContent?: boolean;
  /** Called with a function that closes it. */
  readonly children: (close: () => void) => ReactNode;
}

const GAP_PX = 6;
const EDGE_PX = 8;

/** A button with a native popover. Escape or a click outside closes it and restores the focus. */
export function Popover(props: PopoverProps) {
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const panel = useRef<HTMLDivElement>(null);
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    const element = panel.current;
    const onToggle = (event: Event): void => setOpen((event as ToggleEvent).newState === "open");
    element?.addEventListener("toggle", onToggle);
    return () => element?.removeEventListener("toggle", onToggle);
  }, []);
  const { align = "start", above = false } = props;
  useEffect(() => {
    const element = panel.current;
    if (!isOpen || !element) return;
    // The content may load after the panel opened, and it can grow.
    const observer = new ResizeObserver(() => placePanel(button.current, element, align, above));
    observer.observe(element);
    return () => observer.disconnect();
  }, [isOpen, align, above]);
  const close = (): void => {
    panel.current?.hidePopover();
    button.current?.focus();
  };
  return (
    <>
      <PlainButton
        ref={button}
        className={props.className}
        popoverTarget={id}
        aria-expanded={isOpen}
        aria-label={props.isNamedByContent === true ? undefined : props.label}
        title={props.label}
      >
        {props.trigger}
      </PlainButton>
      <div
        ref={panel}
        id={id}
        popover="auto"
        className="popover"
        role="dialog"
        aria-label={props.label}
      >
        {isOpen && props.children(close)}
      </div>
    </>
  );
}

/**
 * Positions the panel next to its button, inside the window. It sets properties, because the content security
 * policy blocks style attributes.
 */
function placePanel(
  button: HTMLElement | null,
  panel: HTMLElement,
  align: "start" | "end",
  isAbove: boolean,
): void {
  if (!button) return;
  const at = button.getBoundingClientRect();
  const { offsetWidth: width, offsetHeight: height } = panel;
  const left = align === "start" ? at.left : at.right - width;
  const top = isAbove ? at.top - height - GAP_PX : at.bottom + GAP_PX;
  const within = (value: number, size: number, whole: number): number =>
    Math.max(EDGE_PX, Math.min(value, whole - size - EDGE_PX));
  panel.style.left = `${within(left, width, innerWidth)}px`;
  panel.style.top = `${within(top, height, innerHeight)}px`;
}
