import type { ReactNode } from "react";
import { Keys } from "../key.tsx";

interface CommandButtonProps {
  readonly command: { readonly isBusy: boolean; readonly refusal: string | undefined };
  readonly onPress: () => void;
  readonly isMain?: boolean;
  readonly isDangerous?: boolean;
  readonly keys?: string | undefined;
  readonly children: ReactNode;
}

/** A button of a command: off while it is carried out, and off with the reason where it is not allowed. */
export function CommandButton(props: CommandButtonProps) {
  const { command, onPress, isMain = false, isDangerous = false, keys, children } = props;
  const kind = `${isMain ? " main" : ""}${isDangerous ? " danger" : ""}`;
  return (
    <button
      type="button"
      className={`btn${kind}`}
      disabled={command.isBusy || command.refusal !== undefined}
      title={command.refusal}
      onClick={onPress}
    >
      {children} {keys !== undefined && <Keys keys={keys} />}
    </button>
  );
}
