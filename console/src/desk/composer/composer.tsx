import "./composer.css";
import { Lock, Paperclip, Reply, Send, X } from "lucide-react";
import {
  type ClipboardEvent,
  type DragEvent,
  type KeyboardEvent,
  type RefObject,
  useEffect,
  useImperativeHandle,
  useLayoutEffect,
  useRef,
  useState,
} from "react";
import { Keys } from "../../ui/key.tsx";
import { Ago } from "../../ui/time.tsx";
import type { Said } from "../stream/moments.ts";
import { type Completion, useCompletion } from "./completion.tsx";
import type { WaitingFile } from "./use-files.ts";
import { Button, PlainButton } from "../../ui/form/button.tsx";
import { FileInput, TextArea } from "../../ui/form/controls.tsx";

export interface ComposerHandle {
  readonly write: (isInternal: boolean) => void;
  readonly insert: (text: string) => void;
}

export interface Letter {
  readonly text: string;
  readonly isInternal: boolean;
}

/** How a message is sent: normally, or as the resolution, which also opens the next ticket. */
export type SendWay = "send" | "resolve";

interface ComposerProps {
  readonly handle: RefObject<ComposerHandle | null>;
  readonly letter: Letter;
  readonly onChange: (letter: Letter) => void;
  readonly onSend: (way: SendWay) => void;
  readonly isBusy: boolean;
  /** The reason why the user can't write here. */
  readonly disabled?: string | undefined;
  readonly canResolve: boolean;
  readonly callerName: string | undefined;
  /** Shown while the user writes to the caller. */
  readonly notice: string | undefined;
  /** Replies by others since the user started writing, until the user confirms having read them. */
  readonly unseen: readonly Said[];
  readonly isWarned: boolean;
  readonly writers: readonly string[];
  readonly completion: Completion;
  readonly onFiles: (files: readonly File[]) => void;
  readonly files: readonly WaitingFile[];
  readonly onDropFile: (key: number) => void;
}

const ROWS_MAX_PX = 260;

/** The reply box: to the caller or to colleagues, with a clear visual difference between both. */
export function Composer(props: ComposerProps) {
  const { letter, onChange, onSend, handle, disabled, unseen } = props;
  const { text, isInternal } = letter;
  const area = useRef<HTMLTextAreaElement>(null);
  const [isOver, setOver] = useState(false);
  useLayoutEffect(() => {
    const element = area.current;
    if (!element) return;
    element.style.height = "auto";
    element.style.height = `${Math.min(ROWS_MAX_PX, element.scrollHeight)}px`;
  }, [text]);
  const insert = (piece: string, from?: number): void => {
    const element = area.current;
    const end = element?.selectionEnd ?? text.length;
    const start = from ?? element?.selectionStart ?? end;
    onChange({ ...letter, text: `${text.slice(0, start)}${piece}${text.slice(end)}` });
    requestAnimationFrame(() => {
      element?.focus();
      element?.setSelectionRange(start + piece.length, start + piece.length);
    });
  };
  const popup = useCompletion(area, text, props.completion, insert);
  useImperativeHandle(handle, () => ({
    write(internal) {
      onChange({ ...letter, isInternal: internal });
      area.current?.focus();
    },
    insert: (piece) => insert(text === "" || text.endsWith("\n") ? piece : `\n${piece}`),
  }));
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>): void => {
    if (popup.onKeyDown(event)) return;
    if (event.key === "Enter" && (event.metaKey || event.ctrlKey)) {
      event.preventDefault();
      onSend(event.shiftKey ? "resolve" : "send");
    } else if (event.key === "Escape") {
      event.preventDefault();
      area.current?.blur();
      document.querySelector<HTMLElement>(".queue-rows")?.focus();
    }
  };
  const takeFiles = (event: ClipboardEvent | DragEvent, data: DataTransfer | null): void => {
    const files = [...(data?.files ?? [])];
    setOver(false);
    if (files.length === 0) return;
    event.preventDefault();
    props.onFiles(files);
  };
  const isEmpty = text.trim() === "";
  const className = `composer${isInternal ? " internal" : ""}${isOver ? " over" : ""}`;
  return (
    <div
      className={className}
      data-toasts-above
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => takeFiles(event, event.dataTransfer)}
    >
      {props.writers.length > 0 && (
        <p className="composer-writers" role="status">
          <span className="writing-dots" aria-hidden="true">
            <i />
            <i />
            <i />
          </span>
          {props.writers.join(" and ")} {props.writers.length > 1 ? "are" : "is"} typing
        </p>
      )}
      {props.notice !== undefined && !isInternal && text !== "" && (
        <p className="composer-writers" role="status">
          {props.notice}
        </p>
      )}
      <Unseen unseen={unseen} isWarned={props.isWarned} />
      <FileChips files={props.files} onDrop={props.onDropFile} />
      <TextArea
        isBare
        ref={area}
        rows={2}
        aria-label={isInternal ? "Internal note" : "Reply to the caller"}
        placeholder={
          disabled ??
          (isInternal ? "Add an internal note…" : `Reply to ${props.callerName ?? "the caller"}…`)
        }
        disabled={disabled !== undefined}
        value={text}
        {...popup.attributes}
        onChange={({ target }) => onChange({ ...letter, text: target.value })}
        onKeyDown={onKeyDown}
        onPaste={(event) => takeFiles(event, event.clipboardData)}
        onBlur={popup.close}
      />
      {popup.list}
      <ComposerFoot {...props} isEmpty={isEmpty} />
    </div>
  );
}

function ComposerFoot(props: ComposerProps & { readonly isEmpty: boolean }) {
  const { letter, onChange, onSend, disabled, unseen } = props;
  const { isInternal } = letter;
  const mode = (toInternal: boolean) => ({
    type: "button" as const,
    "aria-pressed": isInternal === toInternal,
    disabled: disabled !== undefined,
    onClick: () => onChange({ ...letter, isInternal: toInternal }),
  });
  const cannotSend = (props.isEmpty && props.files.length === 0) || props.isBusy;
  const word = unseen.length > 0 && props.isWarned ? "Send anyway" : isInternal ? "Note" : "Send";
  return (
    <div className="composer-foot">
      <div className="composer-mode" role="group" aria-label="Message type">
        <PlainButton {...mode(false)}>
          <Reply className="ico" aria-hidden="true" /> Reply <Keys keys="r" />
        </PlainButton>
        <PlainButton {...mode(true)}>
          <Lock className="ico" aria-hidden="true" /> Internal <Keys keys="i" />
        </PlainButton>
      </div>
      <label className="btn bare icon" title="Attach file">
        <Paperclip />
        <FileInput
          className="hide"
          multiple
          aria-label="Attach file"
          disabled={disabled !== undefined}
          onChange={({ target }) => {
            props.onFiles([...(target.files ?? [])]);
            target.value = "";
          }}
        />
      </label>
      <span className="grow" />
      {props.canResolve && !isInternal && (
        <Button
          className="send-resolve"
          type="button"
          disabled={props.isEmpty || props.isBusy}
          title="Send and resolve, then open the next ticket (Ctrl Shift Enter)"
          onClick={() => onSend("resolve")}
        >
          Send and resolve
        </Button>
      )}
      <Button look="main" type="button" disabled={cannotSend} onClick={() => onSend("send")}>
        <Send /> {word} <Keys keys="mod+Enter" />
      </Button>
    </div>
  );
}

function FileChips({
  files,
  onDrop,
}: Pick<ComposerProps, "files"> & { readonly onDrop: (key: number) => void }) {
  if (files.length === 0) return null;
  return (
    <div className="composer-files">
      {files.map(({ key, name, fileId }) => (
        <span key={key} className={`file-piece${fileId === undefined ? " sending" : ""}`}>
          <span className="cut">{name}</span>
          <Button
            look="bare"
            isIcon
            isSmall
            type="button"
            aria-label={`Remove ${name}`}
            onClick={() => onDrop(key)}
          >
            <X />
          </Button>
        </span>
      ))}
    </div>
  );
}

/** New replies by colleagues are shown next to the send button, before the message is sent. */
function Unseen({
  unseen,
  isWarned,
}: {
  readonly unseen: readonly Said[];
  readonly isWarned: boolean;
}) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (isWarned) box.current?.scrollIntoView({ block: "nearest" });
  }, [isWarned]);
  const last = unseen.at(-1);
  if (!last) return null;
  const kind = last.isInternal ? "added a note" : "answered";
  return (
    <div ref={box} className={`composer-unseen${isWarned ? " warned" : ""}`} role="alert">
      <p>
        <strong>
          {last.actor.name} {kind} while you were writing
        </strong>{" "}
        <Ago at={last.at} />
      </p>
      <p className="unseen-text">{last.body}</p>
      {isWarned && (
        <p className="muted">Your message was not sent. Press again to send it anyway.</p>
      )}
    </div>
  );
}
