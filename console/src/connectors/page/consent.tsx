import { KeyRound } from "lucide-react";
import { type Schemas, useOp } from "../../data/api.ts";
import { useRefusals } from "../../data/people.ts";
import { type ConsentProgress, useConsentWindow } from "./consent-window.ts";
import { Button } from "../../ui/form/button.tsx";

const SAYS = {
  needs_consent:
    "This connector needs authorization. Sign in to the other system and allow access.",
  expired:
    "The authorization has expired. Calls are rejected until you authorize the connector again.",
} as const;

/** Shows a missing consent with an action to give it. Renders nothing if the consent is valid. */
export function Consent({ connector }: { readonly connector: Schemas["Connector"] }) {
  const { id, auth } = connector;
  const refusalOf = useRefusals();
  const isAsked = auth.kind === "oauth2_authorization_code";
  const { data } = useOp("connectors.get_consent", { params: { id } }, { enabled: isAsked });
  const status = data?.data.status;
  const { progress, open } = useConsentWindow(id, status === "up");
  if (!isAsked || !data || status === undefined || status === "up") return null;
  const refused = refusalOf("connectors.create");
  return (
    <div className="problem con-consent" role="status">
      <p>
        {describeProgress(progress) ?? (
          <>
            {SAYS[status]} First register this redirect URL in the other system:{" "}
            <code>{data.data.redirectUri}</code>
          </>
        )}
      </p>
      <Button look="main" refusal={refused} onClick={() => void open()}>
        <KeyRound className="ico" /> {progress.kind === "none" ? "Authorize" : "Authorize again"}
      </Button>
    </div>
  );
}

function describeProgress(progress: ConsentProgress): string | undefined {
  if (progress.kind === "none") return undefined;
  if (progress.kind === "refused") return progress.refusal;
  return progress.kind === "open"
    ? "Allow access in the window that opened."
    : "The window was closed before access was allowed. Try again.";
}
