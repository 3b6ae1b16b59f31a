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
    <section className="trial" aria-label="Mail server">
      <h3>Mail server</h3>
      {kind === "smtp" && listeners.length === 0 && (
        <p className="problem">
          Incoming e-mail is not configured. Set MILLRACE_MAIL_LISTEN, for example to 0.0.0.0:25,
          and restart the server.
        </p>
      )}
      {kind === "smtp" &&
        listeners.map(({ protocol, host, port }) => (
          <CopyLine
            key={port}
            label={`Incoming e-mail (${protocol.toUpperCase()})`}
            text={`${host}:${port}`}
          />
        ))}
      {kind === "smtp" && listeners.length > 0 && address.includes("@") && (
        <p className="muted">
          Point the MX record of {address.split("@")[1]} or your mail server to this address.
        </p>
      )}
      {kind === "imap" && (
        <p className="muted">
          Millrace fetches new e-mails every minute. It does not change the mailbox.
        </p>
      )}
      <p className={sends ? "muted" : "problem"}>
        {sends
          ? "Replies are sent by e-mail."
          : "Replies can't be sent. Set MILLRACE_SMTP_URL and restart the server."}
      </p>
    </section>
  );
}
