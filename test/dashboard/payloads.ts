/** What a hostile agent may write so that a page runs, loads or opens something. Each sets `ran`, or asks an address, where it works. */

const SCRIPT = "globalThis.ran=1,alert(1)";
const AWAY = "http://127.0.0.1:9/x";
const ENCODED = "&#106;&#97;&#118;&#97;&#115;&#99;&#114;&#105;&#112;&#116;&#58;alert(1)";

/** Raw HTML: none of it is HTML on the page. */
const HTML = [
  ...[`<script>${SCRIPT}</script>`, `<SCRIPT SRC=${AWAY}></SCRIPT>`, `<script/x>${SCRIPT}</script >`],
  ...[`<scr<script>ipt>${SCRIPT}</scr</script>ipt>`, `<img src=x onerror="${SCRIPT}">`, `<img src=x onerror=${SCRIPT}//`],
  ...[`<IMG """><SCRIPT>${SCRIPT}</SCRIPT>">`, `<img src="${AWAY}">`, `<img srcset="${AWAY} 1x">`, `<image href="${AWAY}">`],
  ...[`<svg onload="${SCRIPT}">`, `<svg><script>${SCRIPT}</script></svg>`, `<svg><animate onbegin="${SCRIPT}" attributeName=x dur=1s>`],
  `<svg><a xlink:href="javascript:${SCRIPT}"><text x=20 y=20>x</text></a></svg>`,
  `<svg><use href="data:image/svg+xml,<svg id='x' xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>#x">`,
  ...[`<math><mtext></p><style><img src=x onerror="${SCRIPT}"></style></mtext></math>`, `<iframe src="javascript:${SCRIPT}"></iframe>`],
  ...[`<iframe srcdoc="<script>${SCRIPT}</script>"></iframe>`, `<iframe src="${AWAY}"></iframe>`],
  ...[`<object data="javascript:${SCRIPT}"></object>`, `<embed src="javascript:${SCRIPT}">`],
  ...[`<video><source onerror="${SCRIPT}"></video>`, `<audio src=x onerror="${SCRIPT}">`, `<body onload="${SCRIPT}">`],
  ...[`<input autofocus onfocus="${SCRIPT}">`, `<select autofocus onfocus="${SCRIPT}">`, `<textarea autofocus onfocus="${SCRIPT}">`],
  ...[`<details open ontoggle="${SCRIPT}">`, `<marquee onstart="${SCRIPT}">`, `<div style="background:url(${AWAY})">x</div>`],
  ...[`<style>@import "${AWAY}";</style>`, `<link rel=stylesheet href="${AWAY}">`, `<link rel=prefetch href="${AWAY}">`],
  ...[`<meta http-equiv=refresh content="0;url=${AWAY}">`, `<base href="${AWAY}">`, `<form action="${AWAY}"><button>x</button></form>`],
  ...[`<a href="javascript:${SCRIPT}">x</a>`, `<template><script>${SCRIPT}</script></template>`],
  ...[`<noscript><p title="</noscript><img src=x onerror=${SCRIPT}>">`, `<!--><img src=x onerror=${SCRIPT}>-->`],
  ...[`<![CDATA[<script>${SCRIPT}</script>]]>`, `<?xml-stylesheet href="javascript:${SCRIPT}"?>`, `"><img src=x onerror=${SCRIPT}>`],
  ...[`' autofocus onfocus='${SCRIPT}`, `" onmouseover="${SCRIPT}" x="`, `</textarea><script>${SCRIPT}</script>`],
  ...[`</title><script>${SCRIPT}</script>`, `\${${SCRIPT}}`, "{{constructor.constructor('alert(1)')()}}"],
];

/** Addresses that are no link of the web or of mail. */
const ADDRESSES = [
  `javascript:${SCRIPT}`,
  `JaVaScRiPt:${SCRIPT}`,
  `javascript&colon;${SCRIPT}`,
  `java\tscript:${SCRIPT}`,
  `&#x6A;avascript:${SCRIPT}`,
  ENCODED,
  ...["javascript%3Aalert(1)", " javascript:alert(1)", "\u0001javascript:alert(1)", "vbscript:msgbox(1)"],
  ...["data:text/html,<script>alert(1)</script>", "data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg=="],
  ...["data:image/svg+xml,<svg onload=alert(1)>", "blob:http://127.0.0.1/x", "file:///etc/passwd", "filesystem:http://127.0.0.1/x"],
  ...["view-source:http://127.0.0.1/", "//evil.example/x", "/api/ack?all=1", "../api/send", "tel:123", "irc://evil.example"],
  ...["xmpp:evil@example.com", "ftp://evil.example", "#/now"],
];

/** The same addresses as links, images and references, and what else Markdown has. */
const MARKDOWN = [
  ...ADDRESSES.map(
    (address, at) =>
      [`[link ${at}](<${address}>)`, `![image ${at}](<${address}>)`, `[ref ${at}][r${at}]\n\n[r${at}]: <${address}>`][at % 3] as string,
  ),
  ...ADDRESSES.slice(0, 4).map((address) => `<${address}>`),
  ...[`![x](${AWAY})`, `[![x](${AWAY})](javascript:alert(1))`, `![x" onerror="${SCRIPT}](${AWAY})`],
  ...[`[x](https://example.com "onmouseover=${SCRIPT}")`, `[x](https://example.com/"onmouseover="${SCRIPT})`],
  ...["```<img src=x onerror=alert(1)>\n<script>alert(1)</script>\n```", "`<script>alert(1)</script>`"],
  `| <img src=x onerror=${SCRIPT}> |\n|---|\n| [x](javascript:alert(1)) |`,
];

export const PAYLOADS: readonly string[] = [...HTML, ...MARKDOWN];
