import { FORMAT_SCRIPT } from "./format-script.ts";

/**
 * The script of the chat page. It sends messages and shows responses as they are generated, without reloading.
 * Without JavaScript the form does the same with reloads. Text is added to the conversation only when it is complete,
 * so that screen readers read it once instead of word by word.
 */
export const CHAT_SCRIPT = `
(() => {
${FORMAT_SCRIPT}
  const form = document.querySelector("form:not(.offers)");
  const offers = document.querySelector(".offers");
  const log = document.querySelector("[role=log]");
  const live = document.getElementById("live");
  const state = document.getElementById("state");
  const title = document.querySelector("h1").textContent;
  const { message: field, sessionId } = form.elements;
  const [, , workspace, token, triggerId] = location.pathname.split("/");
  const messages = "/chat/" + workspace + "/" + token + "/messages";
  const query = new URLSearchParams(location.search);
  if (triggerId) query.set("triggerId", decodeURIComponent(triggerId));
  let busy = false;

  const show = (parent, by, text) => {
    const name = document.createElement("p");
    name.className = "faint";
    name.textContent = by;
    const own = document.createElement("p");
    own.textContent = text;
    parent.replaceChildren(name, ...(by === title ? formatText(text) : [own]));
  };
  const keep = (by, text, files = []) => {
    const turn = document.createElement("div");
    turn.className = by === title ? "turn" : "turn you";
    show(turn, by, text);
    for (const { name, url } of files) {
      const line = document.createElement("p");
      const link = document.createElement("a");
      link.href = url;
      link.textContent = name;
      line.append(link);
      turn.append(line);
    }
    log.append(turn);
    offers?.remove();
    const input = document.createElement("input");
    Object.assign(input, { type: "hidden", name: "texts", value: text });
    field.closest("label").before(input);
    const texts = [...form.querySelectorAll("[name=texts]")];
    texts.slice(0, Math.max(0, texts.length - 40)).forEach((old) => old.remove());
  };
  // Turns that the page brought with it; its fields have their texts as they were written.
  const brought = [...form.querySelectorAll("[name=texts]")];
  [...log.querySelectorAll(".turn")].forEach((turn, at) => {
    const files = [...turn.querySelectorAll("p:has(> a)")];
    if (turn.classList.contains("you")) return;
    show(turn, title, brought[at].value);
    turn.append(...files);
  });
  const rest = (words) => {
    busy = false;
    live.hidden = true;
    live.replaceChildren();
    state.textContent = words;
    field.focus();
  };
  const follow = (runId) => {
    const url = messages + "/" + runId + "?" + new URLSearchParams([...query, ["sessionId", sessionId.value]]);
    const source = new EventSource(url);
    let shown = "";
    source.addEventListener("text", ({ data }) => {
      const { from, text } = JSON.parse(data);
      shown = shown.slice(0, from) + text;
      show(live, title, shown);
      live.hidden = false;
    });
    source.addEventListener("answer", ({ data }) => {
      source.close();
      const { text, files } = JSON.parse(data);
      keep(title, text, files);
      rest("");
    });
    source.addEventListener("failed", () => {
      source.close();
      rest("There is no answer. Please ask again.");
    });
    source.addEventListener("error", () => {
      if (source.readyState === EventSource.CLOSED) rest("The connection was lost. Please ask again.");
    });
  };
  offers?.addEventListener("submit", (event) => {
    event.preventDefault();
    field.value = event.submitter.value;
    form.requestSubmit();
  });
  field.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    form.requestSubmit();
  });
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const message = field.value;
    if (busy || message.trim() === "") return;
    busy = true;
    state.textContent = "Writing";
    try {
      const response = await fetch(messages + "?" + query, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ message, sessionId: sessionId.value }),
      });
      if (!response.ok) throw new Error(String(response.status));
      const { data } = await response.json();
      field.value = "";
      keep("You", message);
      if (data.text === null) return follow(data.runId);
      keep(title, data.text, data.files);
      rest("");
    } catch {
      rest("The message was not sent. Please try again.");
    }
  });
})();
`;
