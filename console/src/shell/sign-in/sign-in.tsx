import "./sign-in.css";
import { useSearch } from "@tanstack/react-router";
import { ChevronRight } from "lucide-react";
import { type ReactNode, useEffect, useState } from "react";
import { ApiError, call } from "../../data/api.ts";
import { BASE_PATH, place, switchPlace, toLocalPath } from "../../data/place.ts";
import { Avatar } from "../../ui/avatar.tsx";
import { signOut } from "../account.ts";
import { Card } from "./card.tsx";
import { CredentialForms } from "./credentials.tsx";
import { PlainButton } from "../../ui/form/button.tsx";

interface Workspace {
  readonly slug: string;
  readonly name: string;
}

const WORKSPACES_MAX = 200;

export function SignIn() {
  const search = useSearch({ from: "/login" });
  const from = toLocalPath(search.from, location.origin);
  const [workspaces, setWorkspaces] = useState<readonly Workspace[]>();
  const [isUnsure, setUnsure] = useState(place.workspace === undefined);
  // After an invitation or single sign-on, the user already has a session, but no workspace yet.
  useEffect(() => {
    if (!isUnsure) return;
    void listWorkspaces()
      .then(setWorkspaces)
      .finally(() => setUnsure(false));
  }, [isUnsure]);
  useEffect(() => {
    document.title = "Sign in · Millrace";
  }, []);
  const enter = (workspace: string): void => switchPlace({ workspace }, from);
  const known = workspaces?.find(({ slug }) => slug === place.workspace) ?? workspaces?.[0];
  const isClear = workspaces?.length === 1 || known?.slug === place.workspace;
  useEffect(() => {
    if (isClear && known) enter(known.slug);
  });
  return (
    <SignInPage isUnsure={isUnsure || isClear}>
      {workspaces === undefined && (
        <CredentialForms
          title="Sign in to Millrace"
          returnTo={from ?? `${BASE_PATH}/`}
          onSession={(session) => setWorkspaces(session.workspaces)}
        />
      )}
      {workspaces?.length === 0 && <NoWorkspace />}
      {workspaces && workspaces.length > 1 && !isClear && (
        <WorkspaceChoice workspaces={workspaces} onChoose={enter} />
      )}
    </SignInPage>
  );
}

/** The layout of each step. It appears after a short delay, if sign-in is needed. */
export function SignInPage(props: { readonly isUnsure?: boolean; readonly children: ReactNode }) {
  return (
    <main className={`sign-in${props.isUnsure === true ? " unsure" : ""}`}>
      <Water />
      {props.children}
    </main>
  );
}

async function listWorkspaces(): Promise<readonly Workspace[] | undefined> {
  try {
    return (await call("workspaces.list", { query: { limit: WORKSPACES_MAX } })).data;
  } catch (error) {
    if (error instanceof ApiError && error.status !== 401) throw error;
    return undefined;
  }
}

function WorkspaceChoice(props: {
  readonly workspaces: readonly Workspace[];
  readonly onChoose: (slug: string) => void;
}) {
  return (
    <Card title="Select a workspace">
      <ul className="sign-in-workspaces">
        {props.workspaces.map(({ slug, name }, n) => (
          <li key={slug}>
            <PlainButton type="button" autoFocus={n === 0} onClick={() => props.onChoose(slug)}>
              <Avatar name={name} big />
              <span className="grow cut">{name}</span>
              <ChevronRight className="ico" />
            </PlainButton>
          </li>
        ))}
      </ul>
    </Card>
  );
}

function NoWorkspace() {
  return (
    <Card title="No workspace" back="Sign out" onBack={() => void signOut()}>
      <p>Your account is not a member of any workspace. Ask an administrator for an invitation.</p>
    </Card>
  );
}

/** The decoration at the bottom: six static lines. */
function Water() {
  return (
    <svg
      className="sign-in-water"
      viewBox="0 0 1440 360"
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      {Array.from({ length: 6 }, (_, n) => {
        const y = 60 + n * 54;
        return (
          <path
            key={n}
            d={`M0 ${y} C 240 ${y - 46 + n * 6}, 480 ${y + 46 - n * 6}, 720 ${y} S 1200 ${y - 40 + n * 8}, 1440 ${y}`}
          />
        );
      })}
    </svg>
  );
}
