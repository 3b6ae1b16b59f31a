import { KeyRound } from "lucide-react";
import { call, type Schemas, useOp } from "../../data/api.ts";
import { useMay } from "../../data/people.ts";
import { notifyError } from "../../ui/toast.tsx";

const SAYS = {
  needs_consent: "Nobody has consented yet that this connector acts for them at the other system.",
  expired: "The consent has ended. Until somebody consents again, its calls are refused.",
} as const;

/** Whether somebody has consented, and the way to do so. Draws nothing where all is well. */
export function Consent({ connector }: { readonly connector: Schemas["Connector"] }) {
  const { id, auth } = connector;
  const may = useMay();
  const isAsked = auth.kind === "oauth2_authorization_code";
  const { data } = useOp("connectors.get_consent", { params: { id } }, { enabled: isAsked });
  const status = data?.data.status;
  if (!isAsked || !data || status === undefined || status === "up") return null;
  const refused = may("connectors:write") ? undefined : "You may not change connectors.";
  return (
    <div className="problem con-consent" role="status">
      <p>
        {SAYS[status]} Enter this address at the other system first:{" "}
        <code>{data.data.redirectUri}</code>
      </p>
      <button
        className="btn main"
        disabled={refused !== undefined}
        title={refused}
        onClick={() => void openConsent(id)}
      >
        <KeyRound className="ico" /> Consent
      </button>
    </div>
  );
}

/** Opens the other system's page. The window must be opened by the press itself, or browsers keep it shut. */
async function openConsent(id: string): Promise<void> {
  const popup = window.open("about:blank", "consent", "width=560,height=720");
  try {
    const { data } = await call("connectors.authorize", { params: { id } });
    if (popup) popup.location.href = data.url;
    else window.location.assign(data.url);
  } catch (error) {
    popup?.close();
    notifyError(error);
  }
}
