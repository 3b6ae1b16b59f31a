import { BOUNDS } from "./limits.ts";
import { parseJson } from "./json.ts";
import type { Note } from "./protocol.ts";
import type { LogEntry, ScriptMessage, ScriptOutcome, UiStateChange } from "./script.ts";

/** What a script has written, as it comes. The process bounds it, and so do we: scripts run there. */
export class Notes {
  readonly #logs: LogEntry[] = [];
  readonly #messages: ScriptMessage[] = [];
  readonly #changes: UiStateChange[] = [];
  #count = 0;
  #size = 0;

  add(note: Note): void {
    this.#count += 1;
    this.#size += sizeOf(note);
    // Some more than a script may write, since the process has things to say as well.
    if (this.#count > 2 * BOUNDS.notesMax || this.#size > 2 * BOUNDS.notesSizeMax) return;
    if ("log" in note) {
      const { log: level, message, metadata, atMs } = note;
      const at = new Date(atMs).toISOString();
      this.#logs.push({ level, message, metadata: parsed(metadata), at });
    } else if ("text" in note) {
      this.#messages.push({ level: note.level, text: note.text });
    } else this.#changes.push({ field: note.field, change: parsed(note.change) });
  }

  /** All of it, for the outcome. */
  get all(): Pick<ScriptOutcome, "logs" | "messages" | "uiStateChanges"> {
    return { logs: this.#logs, messages: this.#messages, uiStateChanges: this.#changes };
  }
}

function parsed(json: string | undefined): unknown {
  return json === undefined ? null : parseJson(json);
}

function sizeOf(note: Note): number {
  if ("log" in note) return note.message.length + (note.metadata?.length ?? 0);
  if ("text" in note) return note.level.length + note.text.length;
  return note.field.length + note.change.length;
}
