import "./code-dialog.css";
import { listRoutes } from "@millrace/client";
import { Copy } from "lucide-react";
import { useMemo, useState } from "react";
import { cache } from "../../data/api.ts";
import { clientPreamble, toCurlCall, toTypeScriptCall } from "../../data/code/request-code.ts";
import { listWrites, type NotedCall } from "../../data/code/write-log.ts";
import { BASE_PATH, place } from "../../data/place.ts";
import { copyText } from "../../ui/behaviour/copy.ts";
import { Empty } from "../../ui/feedback.tsx";
import { Dialog } from "../../ui/overlay/dialog.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { Button } from "../../ui/form/button.tsx";

type Language = "curl" | "typescript";

const routes: Readonly<Record<string, string>> = Object.fromEntries(listRoutes());

/** Calls of every screen, which are not specific to this one. */
const OF_THE_FRAME = /^(auth|mfa|notifications|preferences|presence|workspaces|home)\./;

/** API calls to copy: the reads of this screen and the last commands. */
export function CodeDialog({ onClose }: { readonly onClose: () => void }) {
  const [language, setLanguage] = useState<Language>("curl");
  const reads = useMemo(listReads, []);
  const writes = useMemo(listWrites, []);
  const calls = [...reads, ...writes];
  const at = {
    baseUrl: `${location.origin}${BASE_PATH}`,
    workspace: place.workspace ?? "",
    environment: place.environment,
  };
  const codeOf = ({ id, input }: NotedCall): string =>
    language === "curl" ? toCurlCall(routes[id] ?? "", input, at) : toTypeScriptCall(id, input);
  const all = [
    ...(language === "typescript" ? [clientPreamble(at)] : []),
    ...calls.map(codeOf),
  ].join("\n\n");
  return (
    <Dialog
      title="This screen as code"
      isWide
      onClose={onClose}
      footer={
        <Button
          look="main"
          type="button"
          disabled={calls.length === 0}
          onClick={() => void copyText(all, "All calls are")}
        >
          <Copy /> Copy all
        </Button>
      }
    >
      <Tabs
        label="Language"
        tabs={[
          { id: "curl", label: "curl" },
          { id: "typescript", label: "TypeScript" },
        ]}
        chosen={language}
        onChoose={setLanguage}
      >
        <p className="muted code-about">
          The code uses an API token instead of your session. Secrets are replaced by placeholders.
        </p>
        {calls.length === 0 && <Empty title="No API calls on this screen" />}
        {language === "typescript" && calls.length > 0 && (
          <pre className="code-block" tabIndex={0}>
            {clientPreamble(at)}
          </pre>
        )}
        <Calls title="Data of this screen" calls={reads} codeOf={codeOf} />
        <Calls title="Your last changes" calls={writes} codeOf={codeOf} />
      </Tabs>
    </Dialog>
  );
}

function Calls(props: {
  readonly title: string;
  readonly calls: readonly NotedCall[];
  readonly codeOf: (call: NotedCall) => string;
}) {
  if (props.calls.length === 0) return null;
  return (
    <section aria-label={props.title}>
      <h3>{props.title}</h3>
      <ul>
        {props.calls.map((call, n) => (
          <li key={n} className="code-call">
            <div className="row">
              <strong className="mono grow cut">{call.id}</strong>
              <Button
                look="bare"
                type="button"
                aria-label={`Copy ${call.id}`}
                onClick={() => void copyText(props.codeOf(call), call.id)}
              >
                <Copy /> Copy
              </Button>
            </div>
            <pre className="code-block" tabIndex={0}>
              {props.codeOf(call)}
            </pre>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Returns the current reads of this screen. */
function listReads(): readonly NotedCall[] {
  const read = cache
    .getQueryCache()
    .findAll({ type: "active" })
    .filter(({ state }) => state.data !== undefined || state.error !== null)
    .map(({ queryKey: [id, input] }) => ({ id: String(id), input }))
    .filter(({ id, input }) => id in routes && typeof input === "object");
  return read.filter(({ id }) => !OF_THE_FRAME.test(id));
}
