/** A conversation with the workflow as it is deployed, under the words that are being designed. */
import "./designer.css";
import { Send } from "lucide-react";
import { type CSSProperties, useRef, useState } from "react";
import { call, useOp } from "../../../data/api.ts";
import { describeRefusal } from "../../../data/change.ts";
import { place } from "../../../data/place.ts";
import type { Definition } from "../../graph/graph.ts";

interface ChatPreviewProps {
  readonly trigger: Definition["trigger"];
  readonly workflowId: string;
}

interface Line {
  readonly by: "you" | "workflow" | "problem";
  readonly text: string;
}

export function ChatPreview({ trigger, workflowId }: ChatPreviewProps) {
  const saved = useOp("workflows.get", { params: { id: workflowId } }).data?.data;
  const [lines, setLines] = useState<readonly Line[]>([]);
  const [message, setMessage] = useState("");
  const [sessionId, setSessionId] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  const address = saved?.trigger.type === "chat" ? toAddress(saved.trigger.url) : undefined;
  const isDeployed = saved?.environments[place.environment]?.enabled === true;
  const reason = !isDeployed
    ? "It answers once it is deployed here."
    : address
      ? undefined
      : "Its address is shown to those who may trigger it.";
  const send = async (message: string): Promise<void> => {
    if (!address || message.trim() === "" || isBusy) return;
    const before: readonly Line[] = [...lines, { by: "you", text: message }];
    setLines(before);
    setMessage("");
    setBusy(true);
    // Focus stays where one writes, also after the button.
    field.current?.focus();
    try {
      const body = { message, ...(sessionId !== undefined && { sessionId }) };
      const query = { environment: place.environment };
      const { data } = await call("chat.ask", { params: address, query, body });
      setSessionId(data.sessionId);
      const params = { ...address, runId: data.runId };
      const own = { ...query, sessionId: data.sessionId };
      const text = data.text ?? readAnswer(await call("chat.follow", { params, query: own }));
      setLines([...before, { by: "workflow", text }]);
    } catch (error) {
      setLines([...before, { by: "problem", text: describeRefusal(error) }]);
    }
    setBusy(false);
  };
  return (
    <section
      className={trigger.accent === undefined ? "chat-preview" : "chat-preview accented"}
      aria-label="Preview"
      style={{ "--chat-accent": trigger.accent } as CSSProperties}
    >
      <h3>{trigger.title || "Without a title"}</h3>
      {trigger.greeting !== undefined && <p>{trigger.greeting}</p>}
      <ol role="log" aria-label="Conversation" aria-busy={isBusy}>
        {lines.map(({ by, text }, n) => (
          <li key={n} className={`chat-line ${by}`}>
            {text}
          </li>
        ))}
        {isBusy && <li className="chat-line muted">…</li>}
      </ol>
      {lines.length === 0 && (
        <div className="chat-suggestions" role="group" aria-label="Questions to begin with">
          {trigger.suggestions?.map((text) => (
            <button
              key={text}
              type="button"
              className="btn"
              disabled={reason !== undefined}
              title={reason}
              onClick={() => void send(text)}
            >
              {text}
            </button>
          ))}
        </div>
      )}
      <div className="row">
        <input
          ref={field}
          className="field grow"
          aria-label="Message"
          placeholder={trigger.placeholder ?? "Write a message"}
          maxLength={4000}
          value={message}
          disabled={reason !== undefined}
          onChange={({ target }) => setMessage(target.value)}
          onKeyDown={(event) => {
            if (event.key !== "Enter") return;
            event.preventDefault();
            void send(message);
          }}
        />
        <button
          type="button"
          className="btn icon chat-send"
          aria-label="Send"
          disabled={reason !== undefined || isBusy}
          title={reason}
          onClick={() => void send(message)}
        >
          <Send />
        </button>
      </div>
      {reason !== undefined && <p className="muted">{reason}</p>}
    </section>
  );
}

/** The workspace and token in the address of a chat's page. */
function toAddress(
  url: string | undefined,
): { readonly workspace: string; readonly token: string } | undefined {
  const [, workspace, token] = /\/chat\/([^/?]+)\/([^/?]+)/.exec(url ?? "") ?? [];
  return workspace !== undefined && token !== undefined ? { workspace, token } : undefined;
}

/** The answer in a stream of events that has ended. */
export function readAnswer(frames: string): string {
  const [, data] = /event: answer\ndata: (.*)/.exec(frames) ?? [];
  if (data === undefined) return "It gave no answer.";
  const { text } = JSON.parse(data) as { readonly text?: string };
  return text ?? "";
}
