import { useRouterState } from "@tanstack/react-router";
import { PanelLeft } from "lucide-react";
import { lazy, Suspense, useEffect, useState } from "react";
import "./menu.css";
import type { Me } from "../../data/people.ts";
import { Loading } from "../../ui/feedback.tsx";
import { Button } from "../../ui/form/button.tsx";
import { isSettingsPath, SETTINGS_SCREEN } from "../areas.ts";
import { AccountMenu } from "../bar/account-menu.tsx";
import { WorkspaceSwitch } from "../bar/workspace-switch.tsx";
import { AreaList } from "./area-list.tsx";
import { Entry } from "./branch.tsx";
import type { Place } from "./settings-list.tsx";

const SettingsList = lazy(async () => ({
  default: (await import("./settings-list.tsx")).SettingsList,
}));

interface MenuProps {
  readonly me: Me | undefined;
  readonly onFold: () => void;
}

/** The main menu, in two levels. */
export function Menu({ me, onFold }: MenuProps) {
  return (
    <nav className="nav" aria-label="Main menu">
      <div className="nav-top">
        <img src="mark.svg" width="22" height="22" alt="" />
        <WorkspaceSwitch name={me?.workspace?.name} />
        <Button look="bare" isIcon onClick={onFold} aria-label="Collapse menu">
          <PanelLeft />
        </Button>
      </div>
      <MenuList />
      <div className="nav-foot">
        <AccountMenu me={me} above />
      </div>
    </nav>
  );
}

/** The entries of the menu: areas, or sections within the settings. */
export function MenuList() {
  const pathname = useRouterState({ select: ({ location }) => location.pathname });
  const search = useRouterState({ select: ({ location }) => location.search });
  const isSettings = isSettingsPath(pathname);
  const outside = useOutside({ pathname, search });
  return (
    <>
      <div className="nav-list scroll">
        {isSettings ? (
          <Suspense fallback={<Loading rows={8} />}>
            <SettingsList at={{ pathname, search }} outside={outside} />
          </Suspense>
        ) : (
          <AreaList path={pathname} />
        )}
      </div>
      {!isSettings && (
        <div className="nav-settings">
          <Entry leaf={{ ...SETTINGS_SCREEN, isHere: false }} current={undefined} />
        </div>
      )}
    </>
  );
}

let last: Place = { pathname: "/", search: {} };

/** Returns the last location outside the settings, for the back link. */
function useOutside(at: Place): Place {
  const [outside, setOutside] = useState(last);
  const { pathname, search } = at;
  useEffect(() => {
    if (isSettingsPath(pathname)) return;
    last = { pathname, search };
    setOutside(last);
  }, [pathname, search]);
  return outside;
}
