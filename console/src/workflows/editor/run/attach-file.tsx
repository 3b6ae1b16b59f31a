import { Paperclip } from "lucide-react";
import { useRef, useState } from "react";
import { addFile, listHandles, toHandle } from "../../../ui/readable/file-handle.ts";
import { uploadFile } from "../../../data/files/files.ts";
import { toSize } from "../../../ui/words.ts";
import { Button } from "../../../ui/form/button.tsx";
import { FileInput } from "../../../ui/form/controls.tsx";

/** Uploads a selected file at once and adds its handle to the input. */
export function AttachFile(props: {
  readonly text: string;
  readonly onChange: (edit: (text: string) => string) => void;
}) {
  const picker = useRef<HTMLInputElement>(null);
  const [isBusy, setBusy] = useState(false);
  const [fault, setFault] = useState<string>();
  const send = async (file: File | undefined): Promise<void> => {
    if (!file) return;
    setBusy(true);
    setFault(undefined);
    try {
      const handle = toHandle(await uploadFile(file));
      // An updater function, because the user may have edited the text during the upload.
      props.onChange((text) => addFile(text, handle));
    } catch (error) {
      setFault(error instanceof Error ? error.message : "The file could not be uploaded.");
    } finally {
      setBusy(false);
    }
  };
  const files = listHandles(parse(props.text));
  return (
    <div className="run-attach">
      <FileInput
        ref={picker}
        hidden
        onChange={({ target }) => {
          void send(target.files?.[0]);
          target.value = "";
        }}
      />
      <Button look="bare" type="button" disabled={isBusy} onClick={() => picker.current?.click()}>
        <Paperclip />
        {isBusy ? "Uploading…" : "Add file"}
      </Button>
      {files.map(({ $file, name, size }) => (
        <span key={$file} className="muted">
          {name}, {toSize(size)}
        </span>
      ))}
      {fault !== undefined && <span role="alert">{fault}</span>}
    </div>
  );
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
