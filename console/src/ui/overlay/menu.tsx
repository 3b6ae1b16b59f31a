import "./overlay.css";
import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from "react";
import { Keys } from "../key.tsx";
import { useFloat } from "./placement.ts";

export interface MenuItem {
  readonly label: string;
  readonly icon?: ReactNode;
  readonly keys?: string | undefined;
  readonly onPick: () => void;
  /** The reason why the item is disabled. */
  readonly disabled?: string | undefined;
  /** Red: it can't be undone. */
  readonly isDangerous?: boolean;
  /** A separator above it. */
  readonly isApart?: boolean;
}

interface MenuProps {
  readonly label: string;
  /** The content of the button. */
  readonly children: ReactNode;
  readonly items: readonly MenuItem[];
  readonly className?: string;
  readonly align?: "start" | "end";
}

/** A button with a menu. Arrow keys move; a letter selects the next matching item. */
export function Menu({ label, children, items, className, align = "end" }: MenuProps) {
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const [isOpen, setOpen] = useState(false);
  useFloat(button, list, isOpen, { align });
  useEffect(() => {
    if (!isOpen) return undefined;
    list.current?.querySelector<HTMLElement>("[role=menuitem]")?.focus();
    const onDown = (event: PointerEvent): void => {
      const target = event.target as Node;
      if (!list.current?.contains(target) && !button.current?.contains(target)) setOpen(false);
    };
    addEventListener("pointerdown", onDown);
    return () => removeEventListener("pointerdown", onDown);
  }, [isOpen]);
  const close = (): void => {
    setOpen(false);
    button.current?.focus();
  };
  const pick = (item: MenuItem): void => {
    if (item.disabled !== undefined) return;
    close();
    item.onPick();
  };
  const onKeyDown = (event: KeyboardEvent<HTMLElement>): void => {
    const own = [...(list.current?.querySelectorAll<HTMLElement>("[role=menuitem]") ?? [])];
    const at = own.indexOf(document.activeElement as HTMLElement);
    const to = nextItem(items, at, event.key);
    if (event.key === "Escape" || event.key === "Tab") close();
    else if (to !== undefined) own[to]?.focus();
    else return;
    if (event.key !== "Tab") event.preventDefault();
    event.stopPropagation();
  };
  return (
    <>
      <button
        ref={button}
        type="button"
        className={className ?? "btn bare icon"}
        aria-label={label}
        title={label}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        onClick={() => setOpen(!isOpen)}
        onKeyDown={(event) => {
          if (event.key !== "ArrowDown" || isOpen) return;
          event.preventDefault();
          setOpen(true);
        }}
      >
        {children}
      </button>
      {isOpen && (
        <div
          ref={list}
          id={id}
          popover="manual"
          role="menu"
          aria-label={label}
          className="float list-box"
          onKeyDown={onKeyDown}
        >
          {items.map((item) => (
            <button
              key={item.label}
              type="button"
              role="menuitem"
              tabIndex={-1}
              aria-disabled={item.disabled !== undefined}
              title={item.disabled}
              className={`list-option${item.isApart ? " apart" : ""}${item.isDangerous ? " danger" : ""}`}
              onMouseMove={({ currentTarget }) => currentTarget.focus()}
              onClick={() => pick(item)}
            >
              {item.icon}
              <span className="grow">{item.label}</span>
              {item.keys && <Keys keys={item.keys} />}
            </button>
          ))}
        </div>
      )}
    </>
  );
}

/** Returns the item for a key. Arrow keys wrap around; a letter selects the next matching item. */
export function nextItem(
  items: readonly Pick<MenuItem, "label">[],
  at: number,
  key: string,
): number | undefined {
  const { length } = items;
  if (key === "ArrowDown") return (at + 1) % length;
  if (key === "ArrowUp") return (at - 1 + length) % length;
  if (key === "Home") return 0;
  if (key === "End") return length - 1;
  if (key.length !== 1 || key === " ") return undefined;
  const order = items.map((_, n) => (at + 1 + n) % length);
  return order.find((n) => items[n]?.label.toLowerCase().startsWith(key.toLowerCase()));
}
