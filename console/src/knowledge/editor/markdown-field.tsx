import {
  Bold,
  BookOpen,
  Code,
  Heading2,
  Italic,
  List,
  ListOrdered,
  type LucideIcon,
  Paperclip,
  ScrollText,
} from "lucide-react";
import { type KeyboardEvent, type RefObject, useRef, useState } from "react";
import { uploadFile } from "../../data/files/files.ts";
import { attempt } from "../../data/use-command.ts";
import { Menu } from "../../ui/overlay/menu.tsx";
import { LinkDialog } from "./link-dialog.tsx";
import { TEMPLATES } from "./templates.ts";
import {
  insertText,
  prefixLines,
  type Selected,
  spellFile,
  type TextEdit,
  wrapSelection,
} from "./text-edit.ts";
import { Button } from "../../ui/form/button.tsx";
import { FileInput, TextArea } from "../../ui/form/controls.tsx";

interface MarkdownFieldProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly field: RefObject<HTMLTextAreaElement | null>;
  readonly onScroll: (share: number) => void;
}

type Edit = (selected: Selected) => TextEdit;
interface Tool {
  readonly label: string;
  readonly icon: LucideIcon;
  readonly key?: string;
  readonly edit: Edit;
}

const TOOLS: readonly Tool[] = [
  { label: "Bold", icon: Bold, key: "b", edit: (at) => wrapSelection(at, "**", "bold") },
  { label: "Italic", icon: Italic, key: "i", edit: (at) => wrapSelection(at, "*", "italic") },
  { label: "Heading", icon: Heading2, edit: (at) => prefixLines(at, "## ") },
  { label: "List", icon: List, edit: (at) => prefixLines(at, "- ") },
  { label: "Numbered steps", icon: ListOrdered, edit: (at) => prefixLines(at, "1. ") },
  { label: "Code", icon: Code, key: "e", edit: (at) => wrapSelection(at, "`", "code") },
];

/** A Markdown editor with a toolbar; pasted and dropped files are attached to the article. */
export function MarkdownField({ value, onChange, field, onScroll }: MarkdownFieldProps) {
  const [isLinking, setLinking] = useState(false);
  const [uploads, setUploads] = useState(0);
  const apply = (edit: Edit): void => {
    const area = field.current;
    if (!area) return;
    const { selectionStart: from, selectionEnd: to, value: text } = area;
    const next = edit({ text, from, to });
    area.focus();
    area.setSelectionRange(next.from, next.to);
    // Uses the browser's command, which supports undo; if it is unavailable, the value is set directly.
    if (!document.execCommand("insertText", false, next.text))
      onChange(text.slice(0, next.from) + next.text + text.slice(next.to));
    area.setSelectionRange(...next.select);
  };
  const send = async (files: readonly File[]): Promise<void> => {
    for (const file of files) {
      setUploads((n) => n + 1);
      const sent = await attempt(() => uploadFile(file));
      if (sent) apply((at) => insertText(at, spellFile(sent.name, sent.mediaType, sent.id)));
      setUploads((n) => n - 1);
    }
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (!(event.metaKey || event.ctrlKey) || event.shiftKey || event.altKey) return;
    const tool = TOOLS.find(({ key }) => key === event.key);
    if (!tool) return;
    event.preventDefault();
    apply(tool.edit);
  };
  return (
    <div className="kb-write">
      <Toolbar
        isSending={uploads > 0}
        onEdit={apply}
        onFiles={(files) => void send(files)}
        onLink={() => setLinking(true)}
      />
      <TextArea
        isBare
        className="kb-text"
        ref={field}
        aria-label="Article text in Markdown"
        placeholder="Write in Markdown. Paste or drop images and files."
        value={value}
        maxLength={200_000}
        spellCheck
        onChange={({ target }) => onChange(target.value)}
        onKeyDown={onKeyDown}
        onScroll={({ currentTarget: area }) =>
          onScroll(area.scrollTop / Math.max(1, area.scrollHeight - area.clientHeight))
        }
        onPaste={(event) => {
          if (event.clipboardData.files.length === 0) return;
          event.preventDefault();
          void send([...event.clipboardData.files]);
        }}
        onDrop={(event) => {
          if (event.dataTransfer.files.length === 0) return;
          event.preventDefault();
          void send([...event.dataTransfer.files]);
        }}
      />
      {isLinking && (
        <LinkDialog
          onPick={({ number, title }) => {
            setLinking(false);
            apply((at) => insertText(at, `[${title.replaceAll(/[[\]]/g, " ")}](${number})`));
          }}
          onClose={() => setLinking(false)}
        />
      )}
    </div>
  );
}

function Toolbar(props: {
  readonly isSending: boolean;
  readonly onEdit: (edit: Edit) => void;
  readonly onFiles: (files: readonly File[]) => void;
  readonly onLink: () => void;
}) {
  const picker = useRef<HTMLInputElement>(null);
  return (
    <div className="kb-tools" role="toolbar" aria-label="Formatting">
      {TOOLS.map(({ label, icon: Icon, key, edit }) => (
        <Button
          look="bare"
          isIcon
          key={label}
          type="button"
          aria-label={label}
          title={key === undefined ? label : `${label} (Ctrl ${key.toUpperCase()})`}
          onClick={() => props.onEdit(edit)}
        >
          <Icon />
        </Button>
      ))}
      <Button
        look="bare"
        isIcon
        type="button"
        aria-label="Insert image or file"
        title="Insert image or file. You can also paste or drop it."
        onClick={() => picker.current?.click()}
      >
        <Paperclip />
      </Button>
      <Button
        look="bare"
        isIcon
        type="button"
        aria-label="Link to an article"
        title="Link to an article"
        onClick={props.onLink}
      >
        <BookOpen />
      </Button>
      <Menu
        label="Templates"
        items={TEMPLATES.map(({ name, body }) => ({
          label: name,
          onPick: () => props.onEdit((at) => insertText(at, body, true)),
        }))}
      >
        <ScrollText />
      </Menu>
      <span className="grow" />
      <span className="muted" role="status">
        {props.isSending && "Uploading…"}
      </span>
      <FileInput
        ref={picker}
        multiple
        hidden
        aria-label="Upload files"
        onChange={({ target }) => {
          props.onFiles([...(target.files ?? [])]);
          target.value = "";
        }}
      />
    </div>
  );
}
