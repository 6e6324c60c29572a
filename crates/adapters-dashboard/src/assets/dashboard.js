// Live parts, filters without a reload, previews while one writes, copy buttons.
// Pages work without it.

const FASTEST = 2_000;
const SLOWEST = 30_000;

const policy = globalThis.trustedTypes?.createPolicy('atumpan', { createHTML: (html) => html })
  ?? { createHTML: (html) => html };

const status = document.getElementById('status');

function announce(text) {
  if (!status || !text) return;
  status.textContent = '';
  // A live region is read when its text changes.
  setTimeout(() => { status.textContent = text.trim(); }, 100);
}

function debounced(delay, action) {
  let timer;
  return (form) => {
    clearTimeout(timer);
    timer = setTimeout(action, delay, form);
  };
}

async function load(address, options = {}) {
  const answer = await fetch(address, { ...options, headers: { 'X-Requested-With': 'atumpan' } });
  const isPage = answer.headers.get('Content-Type')?.startsWith('text/html');
  if (!isPage || answer.status >= 500) throw new Error(answer.status);
  const html = policy.createHTML(await answer.text());
  const page = new DOMParser().parseFromString(html, 'text/html');
  reveal(page);
  return page;
}

// Only nodes that differ are changed, so that focus and selection stay.

let changes = 0;

function morph(from, to) {
  if (from.isEqualNode(to)) return;
  if (from.nodeType !== to.nodeType || from.nodeName !== to.nodeName) {
    from.replaceWith(document.importNode(to, true));
    changes += 1;
  } else if (from.nodeType === Node.ELEMENT_NODE) {
    morphAttributes(from, to);
    morphChildren(from, to);
  } else if (from.nodeValue !== to.nodeValue) {
    from.nodeValue = to.nodeValue;
    changes += 1;
  }
}

function morphAttributes(from, to) {
  // Whether details are open is the reader's choice.
  const names = new Set([...from.getAttributeNames(), ...to.getAttributeNames()]);
  names.delete('open');
  for (const name of names) {
    const value = to.getAttribute(name);
    if (from.getAttribute(name) === value) continue;
    changes += 1;
    value === null ? from.removeAttribute(name) : from.setAttribute(name, value);
  }
}

function morphChildren(from, to) {
  const wantedIds = new Set([...to.children].map((it) => it.id).filter(Boolean));
  let at = from.firstChild;
  const drop = () => {
    const dropped = at;
    at = at.nextSibling;
    dropped.remove();
    changes += 1;
  };
  for (const wanted of to.childNodes) {
    const same = wanted.id ? [...from.children].find((it) => it.id === wanted.id) : null;
    while (same && at && at !== same && !wantedIds.has(at.id)) drop();
    if (same && same !== at) {
      from.insertBefore(same, at);
      morph(same, wanted);
    } else if (at && (same || (!at.id && !wanted.id && at.nodeName === wanted.nodeName))) {
      const matched = at;
      at = at.nextSibling;
      morph(matched, wanted);
    } else {
      from.insertBefore(document.importNode(wanted, true), at);
      changes += 1;
    }
  }
  while (at) drop();
}

// Live parts: one request for all, rarer while nothing changes.

let pause = FASTEST;
let timer;
let isPolling = false;

function wake() {
  clearTimeout(timer);
  if (document.hidden || isPolling || !document.querySelector('[data-live]')) return;
  timer = setTimeout(poll, pause);
}

async function poll() {
  const address = location.href;
  isPolling = true;
  try {
    const page = await load(address);
    if (location.href === address) {
      const before = changes;
      for (const part of document.querySelectorAll('[data-live][id]')) {
        const fresh = page.getElementById(part.id);
        if (fresh) morph(part, fresh);
      }
      pause = changes > before ? FASTEST : Math.min(pause * 1.5, SLOWEST);
      if (!page.querySelector('[data-live]')) return;
    }
  } catch {
    pause = Math.min(pause * 2, SLOWEST);
  } finally {
    isPolling = false;
  }
  wake();
}

document.addEventListener('visibilitychange', () => {
  pause = FASTEST;
  wake();
});

// Filters: the address says which results are shown.

const place = () => location.pathname + location.search;
let shown = place();
let filtering;

async function show(address, { isNew, keepsForm }) {
  const form = document.querySelector('form[data-filter]');
  const results = form && document.getElementById(form.dataset.filter);
  filtering?.abort();
  const { signal } = filtering = new AbortController();
  results?.setAttribute('aria-busy', 'true');
  try {
    const page = await load(address, { signal });
    const fresh = page.getElementById(form.dataset.filter);
    if (isNew) history.pushState(null, '', address);
    shown = place();
    document.title = page.title;
    morph(results, fresh);
    if (!keepsForm) refill(form, page);
    announce(results.querySelector('[data-summary]')?.textContent);
    if (results.getBoundingClientRect().top < 0) results.scrollIntoView();
    pause = FASTEST;
    wake();
  } catch (error) {
    if (error.name !== 'AbortError') location.assign(address);
  }
}

function refill(form, page) {
  for (const control of form.elements) {
    const stored = control.id && page.getElementById(control.id);
    if (!stored || control.type === 'file') continue;
    control.value = stored.value;
    control.checked = stored.checked;
  }
}

function filter(form) {
  const address = new URL(form.action);
  const filled = [...new FormData(form)].filter(([, value]) => value !== '');
  address.search = new URLSearchParams(filled);
  show(address, { isNew: true, keepsForm: true });
}

const filterSoon = debounced(300, filter);

addEventListener('popstate', () => {
  if (place() !== shown && document.querySelector('form[data-filter]')) show(location.href, {});
});

// Previews: the last thing that was written wins.

let previewing;

const preview = debounced(400, async (form) => {
  const address = form.querySelector('[data-preview-button]')?.formAction;
  const part = document.getElementById(form.dataset.preview);
  if (!address || !part) return;
  previewing?.abort();
  const { signal } = previewing = new AbortController();
  try {
    const body = new URLSearchParams(new FormData(form));
    const page = await load(address, { method: 'POST', body, signal });
    morph(part, page.getElementById(part.id));
  } catch { /* The button remains. */ }
});

document.addEventListener('input', ({ target }) => {
  const form = target.form;
  if (form?.dataset.filter) filterSoon(form);
  if (form?.dataset.preview) preview(form);
});

// Copy buttons.

function reveal(page) {
  if (!navigator.clipboard) return;
  for (const button of page.querySelectorAll('[data-copy]')) button.hidden = false;
}

async function copy(button) {
  try {
    await navigator.clipboard.writeText(button.dataset.copy);
    announce(button.dataset.copied);
  } catch { /* The text remains. */ }
}

document.addEventListener('click', (event) => {
  const button = event.target.closest('[data-copy]');
  if (button) copy(button);
  const link = event.target.closest('a[data-filter-link]');
  const opensElsewhere = event.ctrlKey || event.metaKey || event.shiftKey;
  if (link && !opensElsewhere && document.querySelector('form[data-filter]')) {
    event.preventDefault();
    show(link.href, { isNew: true });
  }
});

// Forms: a filter stays on the page, others are sent once.

document.addEventListener('submit', (event) => {
  const { target: form, submitter } = event;
  if (form.matches('[data-filter]') && !submitter?.hasAttribute('formaction')) {
    event.preventDefault();
    filter(form);
  } else if (form.matches('[method=post]')) {
    if (form.querySelector('[aria-disabled]')) event.preventDefault();
    else submitter?.setAttribute('aria-disabled', 'true');
    // A stopped answer, or a file, leaves the page as it is.
    setTimeout(release, 10_000);
  }
});

function release() {
  for (const button of document.querySelectorAll('form [aria-disabled]')) button.removeAttribute('aria-disabled');
}

addEventListener('pageshow', release);
reveal(document);
document.querySelector('[data-focus]')?.focus();
wake();
