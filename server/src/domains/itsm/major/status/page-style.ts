import { TOKENS } from "#kernel/html/tokens.ts";

/** The stylesheet of the status page. Its hash is part of the page's security policy. */
export const STATUS_STYLESHEET = `
${TOKENS}
:root{color-scheme:light dark}
*{box-sizing:border-box;margin:0}
body{background:var(--bg);color:var(--ink);font:16px/1.5 var(--font);padding:32px 16px 48px}
body>*{max-width:760px;margin:0 auto}
h1{font-size:24px;letter-spacing:-.02em}
h2{font-size:16px;margin:36px 0 12px}
h3{font-size:16px}
header p,.quiet,.ends,footer,.components p{color:var(--ink-3)}
.now{display:flex;align-items:center;gap:12px;margin:24px 0 16px;padding:16px 20px;border-radius:12px;font-weight:600;font-size:18px;background:var(--surface);border:1px solid var(--c);box-shadow:inset 4px 0 var(--c)}
.up{--c:var(--ok)}.degraded{--c:var(--warn)}.down{--c:var(--bad)}.past{--c:var(--line)}
.now i,.word i{width:10px;height:10px;border-radius:50%;background:var(--c);flex:none}
.components{list-style:none;padding:0;background:var(--surface);border:1px solid var(--line);border-radius:12px}
.components li{padding:16px 20px}.components li+li{border-top:1px solid var(--line)}
.components p{font-size:14px}
.line{display:flex;justify-content:space-between;gap:12px}
.word{display:inline-flex;align-items:center;gap:8px;color:var(--c);font-weight:600;font-size:14px;white-space:nowrap}
.days{display:flex;gap:2px;margin:10px 0 4px;height:28px}
.days i{flex:1 1 0;min-width:1px;border-radius:2px;background:var(--c);opacity:.9}
@media(max-width:600px){.days{gap:1px}.days i{border-radius:1px}}
.ends{font-size:13px}
.notice{margin:0 0 12px;padding:16px 20px;border-radius:12px;background:var(--surface);border:1px solid var(--line);box-shadow:inset 4px 0 var(--c)}
.notice ol{list-style:none;padding:0;margin-top:10px}.notice li+li{margin-top:10px}
.notice time{color:var(--ink-3);font-size:14px;margin-left:6px}
.words{white-space:pre-wrap;overflow-wrap:anywhere}
.quiet{font-size:14px}
footer{display:flex;justify-content:space-between;gap:12px;margin-top:36px;font-size:14px}
a{color:inherit;text-underline-offset:3px}
h1,h3{overflow-wrap:anywhere}
`;
