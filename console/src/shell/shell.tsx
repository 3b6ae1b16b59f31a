import "./shell.css";
import "./bar/bar.css";
import { Outlet, useNavigate, useRouterState } from "@tanstack/react-router";
import { CircleQuestionMark, Search } from "lucide-react";
import { lazy, Suspense, useEffect, useRef, useState } from "react";
import { ApiError, cache, useOp } from "../data/api.ts";
import { listenToLog } from "../data/live/live.ts";
import { useMay, useMe, useRefusals } from "../data/people.ts";
import { rememberFor } from "../data/person-memory.ts";
import { BASE_PATH, forgetPlace, place } from "../data/place.ts";
import { offerWaysBack, type Undo } from "../data/undo/way-back.ts";
import { clearObstacle, enterInside, followPerson, useObstacle } from "../data/session.ts";
import { isFirstRun, useWelcome, WELCOME_PREFERENCE } from "../data/welcome.ts";
import { Keys } from "../ui/key.tsx";
import { useModal } from "../ui/overlay/modal.ts";
import { notify, takeWayBack, Toasts } from "../ui/toast.tsx";
import { signOut } from "./account.ts";
import { type Action, useFrameActions, useHeldKeys } from "./actions.ts";
import { screenAt, SCREENS } from "./areas.ts";
import { AccountMenu } from "./bar/account-menu.tsx";
import { Bell } from "./bar/bell.tsx";
import { ConnectionBanner, LiveTag } from "./bar/connection.tsx";
import { EnvironmentSwitch } from "./bar/environment-switch.tsx";
import { Dock } from "./menu/dock.tsx";
import { Menu } from "./menu/menu.tsx";
import { MaintenanceBanner } from "./bar/maintenance-banner.tsx";
import { useOffer } from "./offer.ts";
import { loadResults, Palette } from "./palette/palette.tsx";
import { ScreenBoundary } from "./screen-boundary.tsx";
import { AskedDialog } from "./keys/asked-dialog.tsx";
import { switchTheme } from "./theme.ts";
import { setTitle } from "./title.ts";
import { Button, PlainButton } from "../ui/form/button.tsx";

const NARROW = "millrace.menu";
const CodeDialog = lazy(async () => ({
  default: (await import("./code/code-dialog.tsx")).CodeDialog,
}));

const KeySheet = lazy(async () => ({ default: (await import("./key-sheet.tsx")).KeySheet }));

const NextSteps = lazy(async () => ({ default: (await import("./next-steps.tsx")).NextSteps }));

const PortalNotice = lazy(async () => ({
  default: (await import("./portal/portal-notice.tsx")).PortalNotice,
}));

const Enrolment = lazy(async () => ({
  default: (await import("./sign-in/enrolment.tsx")).Enrolment,
}));

const loadSessionDialog = () => import("./sign-in/session-dialog.tsx");
const SessionDialog = lazy(async () => ({ default: (await loadSessionDialog()).SessionDialog }));

const Help = lazy(async () => ({ default: (await import("./help/help.tsx")).Help }));

/** The layout of every screen: menu, environment, search and dialogs. */
export function Shell() {
  const me = useMe();
  const obstacle = useObstacle();
  const isBarred = useBarred();
  useLeftWorkspace();
  useFirstRun();
  useEffect(() => {
    if (!me) return;
    enterInside();
    // Preloaded: a deployment may replace the first file before it is needed, and the search must open at once.
    void loadSessionDialog().catch(() => undefined);
    void loadResults().catch(() => undefined);
  }, [me]);
  const userId = me?.user.id;
  useEffect(() => {
    if (userId === undefined) return undefined;
    rememberFor(userId);
    return followPerson(userId);
  }, [userId]);
  if (obstacle === "enrolment" || isBarred) {
    return (
      <Suspense>
        <Enrolment
          onDone={() => {
            clearObstacle();
            void cache.invalidateQueries();
          }}
        />
      </Suspense>
    );
  }
  if (me?.usesPortalOnly === true) {
    return (
      <Suspense>
        <PortalNotice />
      </Suspense>
    );
  }
  return (
    <>
      <Frame />
      {obstacle === "session" && (
        <Suspense>
          <SessionDialog me={me} />
        </Suspense>
      )}
    </>
  );
}

/**
 * Returns whether the user must enrol a second factor: until then they have no permissions, and responses do not
 * say why.
 */
function useBarred(): boolean {
  const me = useMe();
  const isBare = me?.authenticatedBy === "session" && me.permissions.length === 0;
  const status = useOp("mfa.status", undefined, { enabled: isBare }).data?.data;
  return isBare && status?.enforced === true && !status.totp && !status.webauthn;
}

/** Handles a workspace in the link that does not exist or that the user has left. */
function useLeftWorkspace(): void {
  const { error } = useOp("auth.me");
  useEffect(() => {
    if (!(error instanceof ApiError) || error.status !== 403) return;
    forgetPlace();
    location.assign(`${BASE_PATH}/login`);
  }, [error]);
}

/** The first owner starts on the welcome page, all other users on Home. */
function useFirstRun(): void {
  const navigate = useNavigate();
  const isCandidate = isFirstRun(useMe(), useWelcome());
  // The server stores whether the welcome was skipped in another browser.
  const { data } = useOp("preferences.list", undefined, { enabled: isCandidate });
  const isFirst =
    isCandidate &&
    data?.data.preferences.every(({ key }) => key !== WELCOME_PREFERENCE.params.key) === true;
  const isHome = useRouterState({ select: ({ location }) => location.pathname === "/" });
  useEffect(() => {
    if (isFirst && isHome) void navigate({ to: "/welcome", replace: true });
  }, [isFirst, isHome, navigate]);
}

const undo: Undo = (targets) =>
  void import("../data/undo/undo.ts").then(({ undoChanges }) => undoChanges(targets));

function takeBack(): void {
  if (!takeWayBack()) notify("There is no recent change to undo.");
}

function Frame() {
  const navigate = useNavigate();
  const [open, setOpen] = useState<"palette" | "keys" | "code">();
  const [isHelpOpen, setHelpOpen] = useState(false);
  const [isNarrow, setNarrow] = useState(localStorage.getItem(NARROW) === "narrow");
  const me = useMe();
  const may = useMay();
  const refusalOf = useRefusals();
  const isOffered = useOffer();
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const main = useScreenChange(path);
  useEffect(listenToLog, []);
  const mayUndo = may("undo.perform");
  useEffect(() => offerWaysBack(() => (mayUndo ? undo : undefined)), [mayUndo]);
  const fold = (): void => {
    localStorage.setItem(NARROW, isNarrow ? "wide" : "narrow");
    setNarrow(!isNarrow);
  };
  useHeldKeys(useRouterState({ select: ({ status }) => status === "pending" }) || me === undefined);
  const openPalette = (): void => setOpen("palette");
  const close = (): void => setOpen(undefined);
  const hasNextSteps = (useWelcome()?.steps.length ?? 0) > 0;
  useFrameActions([
    { keys: "mod+k", label: "Search and commands", run: openPalette, always: true, hidden: true },
    { keys: "/", label: "Search", run: openPalette, hidden: true },
    { keys: "?", label: "Keyboard shortcuts", run: () => setOpen("keys") },
    {
      keys: "F1",
      label: "Help for this screen",
      run: () => setHelpOpen(!isHelpOpen),
      always: true,
    },
    { keys: "shift+c", label: "Copy this screen as code", run: () => setOpen("code") },
    { keys: "shift+u", label: "Undo last change", run: takeBack },
    { keys: "mod+b", label: "Collapse menu", run: fold },
    { keys: "mod+shift+l", label: "Switch theme", run: switchTheme, always: true },
    {
      label: "Install example",
      run: () => void navigate({ to: "/welcome" }),
      disabled: refusalOf("packs.install"),
    },
    { label: "Sign out", run: () => void signOut() },
    ...SCREENS.filter(isOffered).flatMap(({ to, label, keys }): readonly Action[] =>
      keys === undefined
        ? []
        : [{ keys, label: `Go to ${label}`, run: () => void navigate({ to }) }],
    ),
  ]);
  return (
    <div className={`shell env-${place.environment}${isNarrow ? " narrow" : ""}`}>
      <SkipLink onSkip={() => main.current?.focus()} />
      <Menu me={me} onFold={fold} />
      <div className="stage">
        <header className="top">
          <EnvironmentSwitch />
          <PlainButton className="search" onClick={openPalette} aria-keyshortcuts="Control+K">
            <Search className="ico" />
            <span className="grow cut">Search or run a command…</span>
            <Keys keys="mod+k" />
          </PlainButton>
          <LiveTag />
          <HelpButton onClick={() => setHelpOpen(!isHelpOpen)} />
          <Bell />
          <span className="top-account">
            <AccountMenu me={me} />
          </span>
        </header>
        <ConnectionBanner />
        <MaintenanceBanner me={me} />
        {hasNextSteps && (
          <Suspense>
            <NextSteps />
          </Suspense>
        )}
        <main id="main" ref={main} className="content" tabIndex={-1}>
          <ScreenBoundary place={path}>
            <Outlet />
          </ScreenBoundary>
        </main>
        <Dock />
      </div>
      {isHelpOpen && (
        <Suspense fallback={null}>
          <Help path={path} onClose={() => setHelpOpen(false)} />
        </Suspense>
      )}
      {open === "palette" && <Palette onClose={close} />}
      <Suspense fallback={<PendingDialog onClose={close} />}>
        {open === "keys" && <KeySheet onClose={close} />}
        {open === "code" && <CodeDialog onClose={close} />}
      </Suspense>
      <AskedDialog />
      <Toasts />
    </div>
  );
}

/** A modal while a dialog loads, so that keys typed for the dialog do not trigger shortcuts of the screen. */
function PendingDialog({ onClose }: { readonly onClose: () => void }) {
  return (
    <dialog
      ref={useModal()}
      className="palette"
      aria-label="Loading"
      aria-busy="true"
      onClose={onClose}
    />
  );
}

function HelpButton({ onClick }: { readonly onClick: () => void }) {
  return (
    <Button
      look="bare"
      isIcon
      aria-label="Help for this screen"
      aria-keyshortcuts="F1"
      title="Help for this screen (F1)"
      onClick={onClick}
    >
      <CircleQuestionMark />
    </Button>
  );
}

/** A link within the current page: a link to the previous page would navigate away. */
function SkipLink({ onSkip }: { readonly onSkip: () => void }) {
  const here = useRouterState({
    select: ({ location: { pathname, searchStr } }) => `${BASE_PATH}${pathname}${searchStr}`,
  });
  return (
    <a
      className="skip"
      // The page has a base address, so a plain `#main` would lead to the root.
      href={`${here}#main`}
      onClick={(event) => {
        event.preventDefault();
        onSkip();
      }}
    >
      Skip to content
    </a>
  );
}

/** Announces a new screen with its title, and moves the focus to it. Otherwise the focus stays on a removed link. */
function useScreenChange(path: string): React.RefObject<HTMLElement | null> {
  const main = useRef<HTMLElement>(null);
  useEffect(() => {
    setTitle(screenAt(path)?.label);
  }, [path]);
  // Only after rendering is it known which parts of the previous screen were removed, possibly with the focus.
  const drawn = useRouterState({ select: ({ resolvedLocation }) => resolvedLocation?.pathname });
  const shown = useRef(drawn);
  useEffect(() => {
    const isFirst = shown.current === undefined;
    if (drawn === shown.current) return;
    shown.current = drawn;
    // Not on the first load, and not if the screen has focused one of its fields.
    if (!isFirst && document.activeElement?.closest("#main") === null) main.current?.focus();
  }, [drawn]);
  return main;
}
