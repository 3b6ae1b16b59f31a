import "./shell.css";
import { Link, Outlet, useNavigate, useRouterState } from "@tanstack/react-router";
import { ChevronsUpDown, LogOut, Moon, PanelLeft, Search, Sun } from "lucide-react";
import { useEffect, useState } from "react";
import { call, useOp } from "../data/api.ts";
import { listenToLog, useLiveState } from "../data/live.ts";
import { type Me, useMay, useMe } from "../data/people.ts";
import {
  BASE_PATH,
  ENVIRONMENTS,
  type Environment,
  forgetPlace,
  place,
  switchPlace,
} from "../data/place.ts";
import { Avatar } from "../ui/avatar.tsx";
import { Keys } from "../ui/key.tsx";
import { notifyError, Toasts } from "../ui/toast.tsx";
import { toWords } from "../ui/words.ts";
import { type Action, useActions } from "./actions.ts";
import { AREAS, SCREENS } from "./areas.ts";
import { KeySheet } from "./key-sheet.tsx";
import { Palette } from "./palette.tsx";
import { switchTheme } from "./theme.ts";

const NARROW = "millrace.menu";
const DOCK_MAX = 5;

/** The frame of every screen: menu, environment, search, and what is open above them. */
export function Shell() {
  const navigate = useNavigate();
  const [open, setOpen] = useState<"palette" | "keys">();
  const [isNarrow, setNarrow] = useState(localStorage.getItem(NARROW) === "narrow");
  const me = useMe();
  const may = useMay();
  useEffect(listenToLog, []);
  const fold = (): void => {
    localStorage.setItem(NARROW, isNarrow ? "wide" : "narrow");
    setNarrow(!isNarrow);
  };
  useActions([
    {
      keys: "mod+k",
      label: "Search and commands",
      run: () => setOpen("palette"),
      always: true,
      hidden: true,
    },
    { keys: "/", label: "Search", run: () => setOpen("palette"), hidden: true },
    { keys: "?", label: "Keys of this screen", run: () => setOpen("keys") },
    { keys: "mod+b", label: "Fold the menu", run: fold },
    { keys: "mod+shift+l", label: "Light or dark", run: switchTheme, always: true },
    { label: "Sign out", run: () => void signOut() },
    ...SCREENS.filter(({ permission }) => may(permission)).map(({ to, label, keys }): Action => ({
      ...(keys !== undefined && { keys }),
      label: `Go to ${label}`,
      run: () => void navigate({ to }),
    })),
  ]);
  return (
    <div className={`shell env-${place.environment}${isNarrow ? " narrow" : ""}`}>
      <a className="skip" href="#main">
        Skip to the content
      </a>
      <Menu me={me} onFold={fold} />
      <div className="stage">
        <header className="top">
          <EnvironmentSwitch />
          <button
            className="search"
            onClick={() => setOpen("palette")}
            aria-keyshortcuts="Control+K"
          >
            <Search className="ico" />
            <span className="grow">Search or do anything…</span>
            <Keys keys="mod+k" />
          </button>
          <LiveTag />
        </header>
        <main id="main" className="content" tabIndex={-1}>
          <Outlet />
        </main>
        <Dock />
      </div>
      {open === "palette" && <Palette onClose={() => setOpen(undefined)} />}
      {open === "keys" && <KeySheet onClose={() => setOpen(undefined)} />}
      <Toasts />
    </div>
  );
}

export async function signOut(): Promise<void> {
  try {
    await call("auth.logout");
    forgetPlace();
    location.assign(`${BASE_PATH}/login`);
  } catch (error) {
    notifyError(error);
  }
}

function Menu({ me, onFold }: { readonly me: Me | undefined; readonly onFold: () => void }) {
  const may = useMay();
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
          const offered = screens.filter(({ permission }) => may(permission));
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
        <Avatar name={me?.user.name} big />
        <span className="stack grow">
          <span className="cut">{me?.user.name}</span>
          <span className="muted cut nav-role">{me?.roles.map(toWords).join(", ")}</span>
        </span>
        <button className="btn bare icon" onClick={switchTheme} aria-label="Light or dark">
          <Moon className="if-light" />
          <Sun className="if-dark" />
        </button>
        <button className="btn bare icon" onClick={() => void signOut()} aria-label="Sign out">
          <LogOut />
        </button>
      </div>
    </nav>
  );
}

function ScreenLink(props: {
  readonly screen: (typeof SCREENS)[number];
  readonly className: string;
}) {
  const { to, label, icon: Icon } = props.screen;
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const isHere = to === "/" ? path === "/" : path === to || path.startsWith(`${to}/`);
  return (
    <Link
      to={to}
      className={props.className}
      aria-current={isHere ? "page" : undefined}
      title={label}
    >
      <Icon className="ico" />
      <span className="nav-label grow">{label}</span>
    </Link>
  );
}

/** The menu of a narrow screen: the first screens, at the thumb. */
function Dock() {
  const may = useMay();
  const offered = SCREENS.filter(({ permission }) => may(permission)).slice(0, DOCK_MAX);
  return (
    <nav className="dock" aria-label="Screens">
      {offered.map((screen) => (
        <ScreenLink key={screen.to} screen={screen} className="dock-item" />
      ))}
    </nav>
  );
}

function WorkspaceSwitch({ name }: { readonly name: string | undefined }) {
  const workspaces = useOp("workspaces.list", { query: { limit: 200 } }).data?.data ?? [];
  if (workspaces.length < 2) return <strong className="grow cut">{name ?? "Millrace"}</strong>;
  return (
    <label className="pick grow">
      <span className="hide">Workspace</span>
      <select
        value={place.workspace}
        onChange={(event) => switchPlace({ workspace: event.target.value })}
      >
        {workspaces.map((workspace) => (
          <option key={workspace.slug} value={workspace.slug}>
            {workspace.name}
          </option>
        ))}
      </select>
      <ChevronsUpDown className="ico" />
    </label>
  );
}

function EnvironmentSwitch() {
  return (
    <label className="pick env">
      <span className="hide">Environment</span>
      <span className="env-dot" />
      <select
        value={place.environment}
        onChange={(event) =>
          switchPlace({ environment: event.target.value as Environment }, location.pathname)
        }
      >
        {ENVIRONMENTS.map((environment) => (
          <option key={environment} value={environment}>
            {toWords(environment)}
          </option>
        ))}
      </select>
      <ChevronsUpDown className="ico" />
    </label>
  );
}

const LIVE = {
  connecting: ["idle", "Connecting", "The stream of changes is being opened."],
  live: ["ok", "Live", "Changes of others appear by themselves."],
  lost: [
    "bad",
    "Offline",
    "The server can't be reached. What you see may be old; it is tried again.",
  ],
  unavailable: [
    "idle",
    "Not live",
    "You may not follow the log: reload to see what others changed.",
  ],
} as const;

function LiveTag() {
  const [tone, label, help] = LIVE[useLiveState()];
  return (
    <span className={`tag live-tag ${tone}`} title={help} role="status">
      {label}
    </span>
  );
}
