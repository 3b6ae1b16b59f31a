import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { call } from "../../data/api.ts";
import { describeRefusal } from "../../data/change.ts";
import { useTitle } from "../../shell/title.ts";
import { Empty, Loading } from "../../ui/feedback.tsx";
import { notify } from "../../ui/toast.tsx";
import { tellConsent } from "./consent-window.ts";
import { Button } from "../../ui/form/button.tsx";

/**
 * The OAuth redirect page: it completes the consent. If it was opened as a popup, it closes itself; if the popup
 * was blocked, it is the only window and goes to the connector.
 */
export function ConsentReturn() {
  useTitle("Authorization");
  const search = useSearch({ from: "/inside/connectors/consent" });
  const navigate = useNavigate();
  const [refusal, setRefusal] = useState<string>();
  // A code is valid once, but effects may run twice.
  const isSent = useRef(false);
  const { state = "" } = search;
  const id = state.slice(0, Math.max(0, state.indexOf(".")));
  useEffect(() => {
    if (isSent.current) return;
    isSent.current = true;
    void endConsent(id, search).then((said) => {
      tellConsent({ id, refusal: said });
      if (said !== undefined) return setRefusal(said);
      if (window.opener !== null) return window.close();
      notify("Connected.");
      return navigate({ to: "/connectors/$id", params: { id }, replace: true });
    });
  }, [id, search, navigate]);
  if (refusal === undefined) return <Loading />;
  return (
    <Empty
      title="Not connected"
      action={
        window.opener !== null ? (
          <Button look="main" onClick={() => window.close()}>
            Close window
          </Button>
        ) : id === "" ? (
          <Link className="btn main" to="/connectors">
            Go to connectors
          </Link>
        ) : (
          <Link className="btn main" to="/connectors/$id" params={{ id }}>
            Back to connector
          </Link>
        )
      }
    >
      {refusal}
    </Empty>
  );
}

interface ConsentAnswer {
  readonly code?: string | undefined;
  readonly state?: string | undefined;
  readonly error?: string | undefined;
}

/** Returns why the consent failed; undefined if it succeeded. */
async function endConsent(
  id: string,
  { code, state, error }: ConsentAnswer,
): Promise<string | undefined> {
  if (code === undefined || state === undefined) return describeError(error);
  try {
    await call("connectors.consent", { params: { id }, body: { code, state } });
    return undefined;
  } catch (failure) {
    return describeRefusal(failure);
  }
}

/** The address is untrusted, so only its standard error code is displayed (RFC 6749, 4.1.2.1). */
function describeError(error: string | undefined): string {
  if (error === "access_denied") return "Access was denied in the other system.";
  const isCode = error !== undefined && /^[a-z_]{1,40}$/.test(error);
  return `The other system did not grant access${isCode ? `: ${error}` : ""}.`;
}
