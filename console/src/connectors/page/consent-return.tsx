import { useSearch } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { call, invalidate } from "../../data/api.ts";
import { describeRefusal } from "../../data/change.ts";
import { Loading } from "../../ui/feedback.tsx";

/** The page to which the other system sends the browser back: it ends the consent, and closes its window. */
export function ConsentReturn() {
  const search = useSearch({ from: "/inside/connectors/consent" });
  const [said, setSaid] = useState<string>();
  // A code is good once, and effects may run twice.
  const isSent = useRef(false);
  useEffect(() => {
    if (isSent.current) return;
    isSent.current = true;
    void endConsent(search).then(setSaid);
  }, [search]);
  return (
    <div className="page">
      <header className="page-head">
        <h1>Consent</h1>
      </header>
      {said === undefined ? <Loading /> : <p role="status">{said}</p>}
    </div>
  );
}

interface ConsentAnswer {
  readonly code?: string | undefined;
  readonly state?: string | undefined;
  readonly error?: string | undefined;
}

async function endConsent({ code, state, error }: ConsentAnswer): Promise<string> {
  if (code === undefined || state === undefined) {
    return `The other system gave no consent${error === undefined ? "" : `: ${error}`}.`;
  }
  try {
    const id = state.slice(0, Math.max(0, state.indexOf(".")));
    await call("connectors.consent", { params: { id }, body: { code, state } });
    invalidate(["connectors."]);
    if (window.opener !== null) window.close();
    return "It is connected. You can close this window.";
  } catch (failure) {
    return describeRefusal(failure);
  }
}
