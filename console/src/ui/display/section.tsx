import "./section.css";
import { type ReactNode, useEffect, useId, useRef } from "react";

interface SectionProps {
  readonly title: string;
  readonly about?: ReactNode;
  /** Buttons at the end of the header. */
  readonly act?: ReactNode;
  readonly isDangerous?: boolean;
  /** The anchor that links to it: `usage` for `#usage`. */
  readonly anchor?: string;
  readonly children?: ReactNode;
}

/** A section of a settings page: title, description and actions. */
export function Section({ title, about, act, isDangerous, anchor, children }: SectionProps) {
  const id = useId();
  const section = useRef<HTMLElement>(null);
  // The router scrolls to the anchor when the page opens, but this section may be rendered later.
  useEffect(() => {
    if (anchor !== undefined && location.hash === `#${anchor}`) section.current?.scrollIntoView();
  }, [anchor]);
  return (
    <section
      ref={section}
      id={anchor}
      className={isDangerous ? "section danger" : "section"}
      aria-labelledby={id}
    >
      <header className="section-head">
        <div className="grow">
          <h2 id={id}>{title}</h2>
          {about && <p className="muted">{about}</p>}
        </div>
        {act}
      </header>
      {children}
    </section>
  );
}

interface EntryProps {
  readonly icon?: ReactNode;
  readonly title: ReactNode;
  readonly about?: ReactNode;
  readonly act?: ReactNode;
}

/** An item of a list within a section. */
export function Entry({ icon, title, about, act }: EntryProps) {
  return (
    <li className="entry">
      {icon}
      <div className="grow entry-words">
        <div className="entry-title">{title}</div>
        {about && <div className="muted entry-about">{about}</div>}
      </div>
      {act && <div className="entry-act">{act}</div>}
    </li>
  );
}
