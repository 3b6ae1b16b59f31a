import { useRef } from "react";
import { Button } from "../ui/form/button.tsx";
import { FileInput } from "../ui/form/controls.tsx";

/** A button that opens the file dialog for one file. */
export function FileButton(props: {
  readonly label: string;
  readonly isMain?: boolean;
  readonly onChoose: (file: File) => void;
}) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <Button look={props.isMain ? "main" : undefined} onClick={() => input.current?.click()}>
        {props.label}
      </Button>
      <FileInput
        ref={input}
        hidden
        aria-label={props.label}
        onChange={({ target }) => {
          const [file] = target.files ?? [];
          // Reset, so that the same file can be selected again.
          target.value = "";
          if (file) props.onChoose(file);
        }}
      />
    </>
  );
}
