import "./overlay.css";
import { type ReactNode, useId, useRef, useState } from "react";
import { Keys } from "../key.tsx";
import { useFloat } from "./placement.ts";

const WAIT_MS = 350;

interface TooltipProps {
  readonly text: string;
  readonly keys?: string | undefined;
  readonly children: ReactNode;
}

/** A tooltip on hover and focus. Essential information belongs on the page instead. */
export function Tooltip({ text, keys, children }: TooltipProps) {
  const id = useId();
  const anchor = useRef<HTMLSpanElement>(null);
  const box = useRef<HTMLDivElement>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const [isOpen, setOpen] = useState(false);
  useFloat(anchor, box, isOpen);
  const open = (): void => {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setOpen(true), WAIT_MS);
  };
  const close = (): void => {
    clearTimeout(timer.current);
    setOpen(false);
  };
  return (
    <span
      ref={anchor}
      className="tooltip-anchor"
      aria-describedby={isOpen ? id : undefined}
      onPointerEnter={open}
      onPointerLeave={close}
      onPointerDown={close}
      onFocus={open}
      onBlur={close}
      onKeyDown={(event) => event.key === "Escape" && close()}
    >
      {children}
      {isOpen && (
        <div ref={box} id={id} popover="manual" role="tooltip" className="float tooltip">
          {text}
          {keys && <Keys keys={keys} />}
        </div>
      )}
    </span>
  );
}
