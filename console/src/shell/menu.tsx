import { Link, useRouterState } from "@tanstack/react-router";
import { Ellipsis, PanelLeft } from "lucide-react";
import type { Me } from "../data/people.ts";
import { AREAS, type Screen, SCREENS } from "./areas.ts";
import { AccountMenu } from "./bar/account-menu.tsx";
import { Popover } from "./bar/popover.tsx";
import { useOffer } from "./offer.ts";
import { WorkspaceSwitch } from "./bar/workspace-switch.tsx";

const DOCK_MAX = 5;

/** The areas that somebody may read: the menu of an agent is short. */
export function Menu({ me, onFold }: { readonly me: Me | undefined; readonly onFold: () => void }) {
  const isOffered = useOffer();
  return (
    <nav className="nav" aria-label="Areas">
      <div className="nav-top">
        <img src="mark.svg" width="22" height="22" alt="" />
        <WorkspaceSwitch name={me?.workspace?.name} />
        <button className="btn bare icon" onClick={onFold} aria-label="Fold the menu">
          <PanelLeft />
        </button>
      </div>
      <div className="nav-list scroll">
        {AREAS.map(({ label, screens }) => {
          const offered = screens.filter(isOffered);
          if (offered.length === 0) return null;
          return (
            <section key={label}>
              {label !== "" && <h3>{label}</h3>}
              <ul>
                {offered.map((screen) => (
                  <li key={screen.to}>
                    <ScreenLink screen={screen} className="nav-item" />
                  </li>
                ))}
              </ul>
            </section>
          );
        })}
      </div>
      <div className="nav-foot">
        <AccountMenu me={me} above />
      </div>
    </nav>
  );
}

function ScreenLink({
  screen,
  className,
}: {
  readonly screen: Screen;
  readonly className: string;
}) {
  const { to, label, icon: Icon } = screen;
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const isHere = to === "/" ? path === "/" : path === to || path.startsWith(`${to}/`);
  return (
    <Link to={to} className={className} aria-current={isHere ? "page" : undefined} title={label}>
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
