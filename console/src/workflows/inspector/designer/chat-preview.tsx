/** A chat with the deployed workflow, shown below the chat settings. */
import "./designer.css";
import { Send } from "lucide-react";
import { type CSSProperties, useRef, useState } from "react";
import { call, useOp } from "../../../data/api.ts";
import { describeRefusal } from "../../../data/change.ts";
import { readStream } from "../../../data/live/stream.ts";
import { BASE_PATH, place } from "../../../data/place.ts";
import { useWork } from "../../../data/use-command.ts";
import type { Definition } from "../../graph/graph.ts";
import { Button } from "../../../ui/form/button.tsx";
import { TextInput } from "../../../ui/form/controls.tsx";

interface ChatPreviewProps {
  readonly trigger: Definition["trigger"];
  readonly workflowId: string;
}

interface Line {
  readonly by: "you" | "workflow" | "problem";
  readonly text: string;
  readonly files?: readonly AnswerFile[] | undefined;
}

interface AnswerFile {
  readonly name: string;
  readonly url: string;
}

export function ChatPreview({ trigger, workflowId }: ChatPreviewProps) {
  const saved = useOp("workflows.get", { params: { id: workflowId } }).data?.data;
  const [lines, setLines] = useState<readonly Line[]>([]);
  const [message, setMessage] = useState("");
  const [sessionId, setSessionId] = useState<string>();
  /** The received text of the model's answer. */
  const [live, setLive] = useState("");
  const field = useRef<HTMLInputElement>(null);
  const address = saved?.trigger.type === "chat" ? toAddress(saved.trigger.url) : undefined;
  const isDeployed = saved?.environments[place.environment]?.enabled === true;
  const reason = !isDeployed
    ? "Deploy the workflow to this environment to use the preview."
    : address
      ? undefined
      : "You don't have permission to start this workflow.";
  const say = (line: Line): void => setLines((old) => [...old, line]);
  const asking = useWork("chat.ask", {
    refusal: reason,
    onRefused: (error) => {
      say({ by: "problem", text: describeRefusal(error) });
      return true;
    },
  });
  const { isBusy } = asking;
  const send = async (message: string): Promise<void> => {
    if (!address || message.trim() === "" || isBusy) return;
    say({ by: "you", text: message });
    setMessage("");
    // Focus stays in the input field, also after a click on the button.
    field.current?.focus();
    const isAnswered = await asking.run(async () => {
      const body = { message, ...(sessionId !== undefined && { sessionId }) };
      const query = { environment: place.environment };
      const { data } = await call("chat.ask", { params: address, query, body });
      setSessionId(data.sessionId);
      const own = new URLSearchParams({ ...query, sessionId: data.sessionId });
      const path = `/chat/${address.workspace}/${address.token}/messages/${data.runId}?${own}`;
      const { text, files } = data.text === null ? await followAnswer(path, setLive) : data;
      say({ by: "workflow", text: text ?? "", files });
    });
    setLive("");
    // The message can be sent again.
    if (!isAnswered) setMessage((typed) => typed || message);
  };
  return (
    <section
      className={trigger.accent === undefined ? "chat-preview" : "chat-preview accented"}
      aria-label="Preview"
      style={{ "--chat-accent": trigger.accent } as CSSProperties}
    >
      <h3>{trigger.title || "Untitled"}</h3>
      {trigger.greeting !== undefined && <p>{trigger.greeting}</p>}
      <Conversation lines={lines} live={live} isBusy={isBusy} />
      {lines.length === 0 && (
        <div className="chat-suggestions" role="group" aria-label="Suggested questions">
          {trigger.suggestions?.map((text) => (
            <Button refusal={reason} key={text} type="button" onClick={() => void send(text)}>
              {text}
            </Button>
          ))}
        </div>
      )}
      <div className="row">
        <TextInput
          className="grow"
          ref={field}
          aria-label="Message"
          placeholder={trigger.placeholder ?? "Enter a message"}
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
        <Button
          isIcon
          className="chat-send"
          type="button"
          aria-label="Send"
          disabled={reason !== undefined || isBusy}
          title={reason}
          onClick={() => void send(message)}
        >
          <Send />
        </Button>
      </div>
      {reason !== undefined && <p className="muted">{reason}</p>}
    </section>
  );
}

interface ConversationProps {
  readonly lines: readonly Line[];
  /**
   * Shown outside the conversation until the answer is complete, so that screen readers announce it once and not
   * word by word.
   */
  readonly live: string;
  readonly isBusy: boolean;
}

function Conversation({ lines, live, isBusy }: ConversationProps) {
  return (
    <>
      <div role="log" aria-label="Conversation" aria-busy={isBusy}>
        {lines.map(({ by, text, files }, n) => (
          <div key={n} className={`chat-line ${by}`}>
            {text}
            {files?.map(({ name, url }) => (
              <div key={url}>
                <a href={`${BASE_PATH}${url}`}>{name}</a>
              </div>
            ))}
          </div>
        ))}
        {isBusy && live === "" && <div className="chat-line muted">…</div>}
      </div>
      {live !== "" && <p className="chat-line">{live}</p>}
    </>
  );
}

/** The workspace and the token from the address of a chat page. */
function toAddress(
  url: string | undefined,
): { readonly workspace: string; readonly token: string } | undefined {
  const [, workspace, token] = /\/chat\/([^/?]+)\/([^/?]+)/.exec(url ?? "") ?? [];
  return workspace !== undefined && token !== undefined ? { workspace, token } : undefined;
}

interface Answer {
  readonly text: string;
  readonly files?: readonly AnswerFile[];
}

const ATTEMPTS_MAX = 5;

/** Streams an answer to its end, like the public chat page: reconnects if the connection breaks. */
async function followAnswer(path: string, show: (text: string) => void): Promise<Answer> {
  let answer: Answer | undefined;
  let shown = "";
  for (let attempt = 0; !answer && attempt < ATTEMPTS_MAX; attempt += 1) {
    const end = await readStream(path, {
      each: ({ event, data }) => {
        if (event === "text") show((shown = applyText(shown, data)));
        if (event === "answer") answer = JSON.parse(data) as Answer;
        if (event === "failed") answer = { text: NO_ANSWER };
      },
    });
    if (end === "refused") break;
  }
  return answer ?? { text: NO_ANSWER };
}

const NO_ANSWER = "No response.";

/** Each part has an offset; it replaces everything after that offset. */
function applyText(shown: string, data: string): string {
  const { from, text } = JSON.parse(data) as { readonly from: number; readonly text: string };
  return shown.slice(0, from) + text;
}
