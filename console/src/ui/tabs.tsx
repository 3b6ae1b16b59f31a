import { type KeyboardEvent, type ReactNode, useId, useRef } from "react";

export interface Tab<T extends string> {
  readonly id: T;
  readonly label: string;
  /** A count or icon after the label. */
  readonly mark?: ReactNode;
}

interface TabsProps<T extends string> {
  readonly label: string;
  /** The label is the screen title, shown before the tabs. */
  readonly isHead?: boolean;
  readonly tabs: readonly Tab<T>[];
  readonly chosen: T;
  readonly onChoose: (id: T) => void;
  /** Shown at the end of the row. */
  readonly aside?: ReactNode;
  readonly children: ReactNode;
  readonly className?: string;
}

/** Tabs and the panel of the selected one. Arrow keys move; all tabs are one tab stop. */
export function Tabs<T extends string>(props: TabsProps<T>) {
  const { tabs, chosen, onChoose } = props;
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const onKeyDown = (event: KeyboardEvent): void => {
    const at = tabs.findIndex((tab) => tab.id === chosen);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: tabs.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    const n = (to + tabs.length) % tabs.length;
    const next = tabs[n];
    if (!next) return;
    onChoose(next.id);
    list.current?.querySelectorAll<HTMLElement>("[role=tab]")[n]?.focus();
  };
  return (
    <div className={`tabbed ${props.className ?? ""}`}>
      <div className="tabs-row">
        {props.isHead && <h1>{props.label}</h1>}
        <div ref={list} className="tabs" role="tablist" aria-label={props.label}>
          {tabs.map(({ id: own, label, mark }) => (
            <button
              key={own}
              type="button"
              role="tab"
              id={`${id}-${own}`}
              aria-selected={own === chosen}
              aria-controls={`${id}-panel`}
              tabIndex={own === chosen ? 0 : -1}
              onClick={() => onChoose(own)}
              onKeyDown={onKeyDown}
            >
              {label}
              {mark}
            </button>
          ))}
        </div>
        {props.aside}
      </div>
      <div
        role="tabpanel"
        id={`${id}-panel`}
        aria-labelledby={`${id}-${chosen}`}
        className="tab-panel"
      >
        {props.children}
      </div>
    </div>
  );
}
