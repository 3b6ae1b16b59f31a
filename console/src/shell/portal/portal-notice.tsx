import { useRouterState } from "@tanstack/react-router";
import { useEffect } from "react";
import { BASE_PATH, place } from "../../data/place.ts";
import { portalPathOf } from "./portal-path.ts";
import { signOut } from "../account.ts";
import { Card } from "../sign-in/card.tsx";
import { SignInPage } from "../sign-in/sign-in.tsx";
import { Button } from "../../ui/form/button.tsx";

/** Redirects users who only have requester permissions to the portal, and explains what the portal does not offer. */
export function PortalNotice() {
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const { workspace = "", environment } = place;
  const home = `${BASE_PATH}/portal/${workspace}`;
  const query = environment === "production" ? "" : `?environment=${environment}`;
  const page = portalPathOf(path);
  const target = page === undefined ? undefined : `${home}${page}${query}`;
  useEffect(() => {
    if (target !== undefined) location.replace(target);
  }, [target]);
  if (target !== undefined) return null;
  return (
    <SignInPage>
      <Card title="This page is only for agents">
        <p>You can see your requests and tickets in the portal.</p>
        <p className="row">
          <a className="btn main" href={`${home}${query}`}>
            Open portal
          </a>
          <Button type="button" onClick={() => void signOut()}>
            Sign out
          </Button>
        </p>
      </Card>
    </SignInPage>
  );
}
