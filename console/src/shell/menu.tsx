import { Link, useRouterState } from "@tanstack/react-router";
import { ChevronRight, Ellipsis, PanelLeft } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import type { Me } from "../data/people.ts";
import { type Area, AREAS, type Screen, SCREENS } from "./areas.ts";
import { AccountMenu } from "./bar/account-menu.tsx";
import { Popover } from "./bar/popover.tsx";
import { useOffer } from "./offer.ts";
import { WorkspaceSwitch } from "./bar/workspace-switch.tsx";
import { Button, PlainButton } from "../ui/form/button.tsx";

const DOCK_MAX = 5;

/** The areas that somebody may read: the menu of an agent is short. */
export function Menu({ me, onFold }: { readonly me: Me | undefined; readonly onFold: () => void }) {
  return (
    <nav className="nav" aria-label="Areas">
      <div className="nav-top">
        <img src="mark.svg" width="22" height="22" alt="" />
        <WorkspaceSwitch name={me?.workspace?.name} />
        <Button look="bare" isIcon onClick={onFold} aria-label="Fold the menu">
          <PanelLeft />
        </Button>
      </div>
      <div className="nav-list scroll">
        {AREAS.map((area) => (
          <AreaList key={area.label} area={area} />
        ))}
      </div>
      <div className="nav-foot">
        <AccountMenu me={me} above />
      </div>
    </nav>
  );
}

const FOLDED = "millrace.areas.folded";

/** The screens of an area. Somebody who has no use for them folds them away; the one that is open stays. */
function AreaList({ area: { label, screens } }: { readonly area: Area }) {
  const isOffered = useOffer();
  const path = usePath();
  const [isFolded, setFolded] = useState(() => readFolded().includes(label));
  const offered = screens.filter(isOffered);
  if (offered.length === 0) return null;
  const shown = isFolded ? offered.filter(({ to }) => isAt(to, path)) : offered;
  const fold = (): void => {
    const others = readFolded().filter((other) => other !== label);
    localStorage.setItem(FOLDED, JSON.stringify(isFolded ? others : [...others, label]));
    setFolded(!isFolded);
  };
  return (
    <section>
      {label !== "" && (
        <h3>
          <PlainButton className="nav-head" aria-expanded={!isFolded} onClick={fold}>
            {label} <ChevronRight className="ico" />
          </PlainButton>
        </h3>
      )}
      <ul>
        {shown.map((screen) => (
          <li key={screen.to}>
            <ScreenLink screen={screen} className="nav-item" />
          </li>
        ))}
      </ul>
    </section>
  );
}

function readFolded(): readonly string[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(FOLDED) ?? "[]");
    return Array.isArray(kept) ? kept.map(String) : [];
  } catch {
    return [];
  }
}

const usePath = (): string => useRouterState({ select: ({ location }) => location.pathname });

const isAt = (to: string, path: string): boolean =>
  to === "/" ? path === "/" : path === to || path.startsWith(`${to}/`);

function ScreenLink({
  screen,
  className,
}: {
  readonly screen: Screen;
  readonly className: string;
}) {
  const { to, label, icon: Icon } = screen;
  const isHere = isAt(to, usePath());
  const link = useRef<HTMLAnchorElement>(null);
  useEffect(() => {
    if (isHere) link.current?.scrollIntoView({ block: "nearest" });
  }, [isHere]);
  return (
    <Link
      ref={link}
      to={to}
      className={className}
      aria-current={isHere ? "page" : undefined}
      title={label}
    >
      <Icon className="ico" />
      <span className="nav-label grow">{label}</span>
    </Link>
  );
}

/** The menu of a narrow screen: the first screens at the thumb, and all of them behind the last button. */
export function Dock() {
  const isOffered = useOffer();
  const offered = SCREENS.filter(isOffered);
  const isAll = offered.length <= DOCK_MAX;
  return (
    <nav className="dock" aria-label="Screens">
      {offered.slice(0, isAll ? DOCK_MAX : DOCK_MAX - 1).map((screen) => (
        <ScreenLink key={screen.to} screen={screen} className="dock-item" />
      ))}
      {!isAll && (
        <Popover
          label="All screens"
          className="dock-item"
          align="end"
          above
          isNamedByContent
          trigger={
            <>
              <Ellipsis className="ico" />
              <span className="nav-label">All screens</span>
            </>
          }
        >
          {(close) => (
            <ul className="dock-all scroll">
              {offered.map((screen) => (
                <li key={screen.to} onClick={close}>
                  <ScreenLink screen={screen} className="menu-item" />
                </li>
              ))}
            </ul>
          )}
        </Popover>
      )}
    </nav>
  );
}
