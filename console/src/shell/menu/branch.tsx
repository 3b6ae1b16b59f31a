import { createLink } from "@tanstack/react-router";
import { ChevronRight, type LucideIcon } from "lucide-react";
import {
  type ComponentProps,
  type KeyboardEvent,
  type ReactNode,
  useEffect,
  useId,
  useRef,
  useState,
} from "react";
import { PlainButton } from "../../ui/form/button.tsx";

export interface Leaf {
  readonly to: string;
  readonly search?: Readonly<Record<string, string>>;
  readonly label: string;
  readonly icon?: LucideIcon;
  readonly isHere: boolean;
  /** The actions of the entry. */
  readonly menu?: ReactNode;
}

interface BranchProps {
  readonly head: Omit<Leaf, "isHere" | "icon"> & { readonly icon: LucideIcon };
  /** The second level; empty if the entry is one screen. */
  readonly leaves: readonly Leaf[];
  /** True if the page is the entry's page or below it. */
  readonly isHere: boolean;
}

/** A first-level entry with its second level, which is expanded for the current page or with its button. */
export function Branch({ head, leaves, isHere }: BranchProps) {
  const id = useId();
  const [choice, setChoice] = useState({ isHere, isOpen: isHere });
  // Navigation to another page resets the user's choice.
  const isOpen = choice.isHere === isHere ? choice.isOpen : isHere;
  const set = (next: boolean): void => setChoice({ isHere, isOpen: next });
  const onKeyDown = ({ key }: KeyboardEvent): void => {
    if (key === "ArrowRight") set(true);
    else if (key === "ArrowLeft") set(false);
  };
  const isBelow = leaves.some((leaf) => leaf.isHere);
  return (
    <li className={isHere ? "nav-branch here" : "nav-branch"}>
      <span className="nav-row" onKeyDown={leaves.length > 0 ? onKeyDown : undefined}>
        <Entry
          leaf={{ ...head, isHere }}
          current={isHere ? (isBelow ? "true" : "page") : undefined}
        />
        {head.menu}
        {leaves.length > 0 && (
          <PlainButton
            className="nav-fold"
            aria-expanded={isOpen}
            aria-controls={id}
            aria-label={`Screens of ${head.label}`}
            title={`Screens of ${head.label}`}
            onClick={() => set(!isOpen)}
          >
            <ChevronRight className="ico" />
          </PlainButton>
        )}
      </span>
      {leaves.length > 0 && (
        <ul id={id} className="nav-leaves" hidden={!isOpen}>
          {leaves.map((leaf) => (
            <li key={`${leaf.to} ${leaf.label}`} className="nav-row">
              <Entry leaf={leaf} current={leaf.isHere ? "page" : undefined} />
              {leaf.menu}
            </li>
          ))}
        </ul>
      )}
    </li>
  );
}

type Current = "page" | "true" | undefined;

/** Replaces the router link because the router would mark all links to the page as current. */
const MenuLink = createLink(function MenuAnchor({
  current,
  ...rest
}: ComponentProps<"a"> & { readonly current: Current }) {
  return <a {...rest} aria-current={current} />;
});

export function Entry(props: {
  readonly leaf: Leaf;
  readonly current: Current;
  readonly className?: string;
}) {
  const { leaf, current, className = "nav-item" } = props;
  const { to, search = {}, label, icon: Icon, isHere } = leaf;
  const link = useRef<HTMLAnchorElement>(null);
  useEffect(() => {
    if (isHere) link.current?.scrollIntoView({ block: "nearest" });
  }, [isHere]);
  return (
    <MenuLink
      ref={link}
      to={to}
      search={search}
      className={className}
      current={current}
      title={label}
    >
      {Icon && <Icon className="ico" />}
      <span className="nav-label grow cut">{label}</span>
    </MenuLink>
  );
}
