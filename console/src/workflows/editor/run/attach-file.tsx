import { Paperclip } from "lucide-react";
import { useRef } from "react";
import { addFile, listHandles, toHandle } from "../../../ui/readable/file-handle.ts";
import { uploadFile } from "../../../data/files/files.ts";
import { useUpload } from "../../../data/files/use-upload.ts";
import { toSize } from "../../../ui/words.ts";
import { Button } from "../../../ui/form/button.tsx";
import { FileInput } from "../../../ui/form/controls.tsx";

/** Uploads a selected file at once and adds its handle to the input. */
export function AttachFile(props: {
  readonly text: string;
  readonly onChange: (edit: (text: string) => string) => void;
}) {
  const picker = useRef<HTMLInputElement>(null);
  const { send, isBusy, problem } = useUpload(uploadFile);
  const attach = async (chosen: FileList | null): Promise<void> => {
    const [file] = (await send([...(chosen ?? [])])) ?? [];
    // An updater function, because the user may have edited the text during the upload.
    if (file) props.onChange((text) => addFile(text, toHandle(file)));
  };
  const files = listHandles(parse(props.text));
  return (
    <div className="run-attach">
      <FileInput
        ref={picker}
        hidden
        onChange={({ target }) => {
          void attach(target.files);
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
      {problem !== undefined && <span role="alert">{problem}</span>}
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
