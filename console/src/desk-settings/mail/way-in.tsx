import "../../ui/display/trial.css";
import { useOp } from "../../data/api.ts";
import { CopyLine } from "../../ui/copy-line.tsx";

interface WayInProps {
  readonly kind: "smtp" | "imap";
  readonly address: string;
}

/** Shows how the installation receives e-mails and whether it can send replies. */
export function WayIn({ kind, address }: WayInProps) {
  const transport = useOp("mailboxes.get_transport").data?.data;
  if (!transport) return null;
  const { listeners, sends } = transport;
  return (
    <section className="trial" aria-label="This installation">
      <h3>This installation</h3>
      {kind === "smtp" && listeners.length === 0 && (
        <p className="problem">
          It takes no mails yet: set MILLRACE_MAIL_LISTEN, such as 0.0.0.0:25, and start it again.
        </p>
      )}
      {kind === "smtp" &&
        listeners.map(({ protocol, host, port }) => (
          <CopyLine
            key={port}
            label={`Takes mails (${protocol.toUpperCase()})`}
            text={`${host}:${port}`}
          />
        ))}
      {kind === "smtp" && listeners.length > 0 && address.includes("@") && (
        <p className="muted">
          Lead the MX record of {address.split("@")[1]} or your mail server there.
        </p>
      )}
      {kind === "imap" && <p className="muted">Fetched every minute. Nothing is changed there.</p>}
      <p className={sends ? "muted" : "problem"}>
        {sends
          ? "Answers go out by mail."
          : "Answers do not go out: set MILLRACE_SMTP_URL and start it again."}
      </p>
    </section>
  );
}
