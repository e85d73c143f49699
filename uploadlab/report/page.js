"use strict";

// The page works on one payload: CSV texts by name, and for each language its charts. A chart is drawn when its language
// is shown; every control changes a parameter of a drawn chart, or hides rows of a table.
(() => {
  const payload = JSON.parse(document.getElementById("payload").textContent);
  const views = new Map(); // figure element -> Vega view

  // Base64 of gzip of the CSV file of the same name in data/.
  const unpack = async (name) => {
    const bytes = Uint8Array.from(atob(payload.datasets[name]), (character) => character.charCodeAt(0));
    return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
  };
  const texts = new Map();
  const text = (name) => {
    if (!texts.has(name)) texts.set(name, unpack(name));
    return texts.get(name);
  };

  const withData = async (chart) => {
    const datasets = { ...chart.spec.datasets }; // its own small ones, such as the row of the line at a moment
    for (const name of chart.datasets) datasets[name] = await text(name);
    return { ...chart.spec, datasets };
  };

  const stacked = (chart) => "vconcat" in chart.spec;

  const fit = (figure, view, chart) => {
    if (!stacked(chart)) return view.resize().runAsync();
    const room = figure.querySelector(".plot").clientWidth - 64;
    return room > 0 ? view.width(room).runAsync() : Promise.resolve();
  };

  const draw = async (article, figure) => {
    const language = payload.languages[article.id];
    const chart = language.charts[figure.dataset.figure];
    const plot = figure.querySelector(".plot");
    const { view } = await vegaEmbed(plot, await withData(chart), {
      mode: "vega-lite",
      renderer: "svg",
      actions: false,
      formatLocale: language.locale,
      tooltip: { theme: "none" },
    });
    plot.setAttribute("role", "img"); // named by its heading, described by its sentence; vega-embed says otherwise
    plot.removeAttribute("aria-label");
    plot.removeAttribute("aria-roledescription");
    plot.querySelector("svg").setAttribute("aria-hidden", "true");
    plot.classList.add("drawn");
    views.set(figure, view);
    const chooser = figure.querySelector("[data-chooser]");
    if (chooser) choose(figure, chooser.value);
    for (const input of figure.querySelectorAll("[data-switch]")) view.signal(input.dataset.switch, input.checked);
    await fit(figure, view, chart);
    if (stacked(chart) || chart.spec.width === "container") {
      let before = plot.clientWidth;
      new ResizeObserver(() => {
        if (plot.clientWidth === before || !plot.clientWidth) return;
        before = plot.clientWidth;
        if (stacked(chart)) fit(figure, view, chart);
        else window.dispatchEvent(new Event("resize"));
      }).observe(plot);
    }
  };

  const drawAll = async (article) => {
    for (const figure of article.querySelectorAll("[data-figure]")) {
      if (views.has(figure)) continue;
      try {
        await draw(article, figure);
      } catch (error) {
        figure.querySelector(".plot").textContent = String(error);
        console.error(error);
      }
      await new Promise((done) => setTimeout(done));
    }
    document.documentElement.dataset.drawn = article.id;
  };

  const choose = (figure, value) => {
    const view = views.get(figure);
    for (const sentence of figure.querySelectorAll("[data-choice]")) sentence.hidden = sentence.dataset.choice !== value;
    const range = figure.querySelector("[data-moment]");
    if (range) {
      const seconds = rowsOf(view, value).map((row) => row.second);
      range.min = Math.min(...seconds);
      range.max = Math.max(...seconds);
      range.value = range.min;
      const reading = figure.querySelector(".reading");
      reading.textContent = reading.dataset.hint;
      view.signal("moment", -1000);
    }
    return view.signal("chosen", value).runAsync();
  };

  const rowsOf = (view, run) => view.data("timeline").filter((row) => row.run === run);

  const tell = (figure, article) => {
    const view = views.get(figure);
    const range = figure.querySelector("[data-moment]");
    const moment = Number(range.value);
    const run = figure.querySelector("[data-chooser]").value;
    const row = rowsOf(view, run).reduce((best, one) =>
      Math.abs(one.second - moment) < Math.abs(best.second - moment) ? one : best);
    const locale = { en: "en", pt: "pt-BR" }[article.id];
    const parts = JSON.parse(range.dataset.readings).filter(([name]) => row[name] !== null && row[name] !== "")
      .map(([name, label]) => `${label} ${Number(row[name]).toLocaleString(locale, { maximumSignificantDigits: 3 })}`);
    figure.querySelector(".reading").textContent = `${row.second} s: ${parts.join(" · ")}`;
    view.signal("moment", row.second).runAsync();
  };

  const save = (name, content) => {
    const link = document.createElement("a");
    link.href = content;
    link.download = name;
    link.click();
    if (content.startsWith("blob:")) setTimeout(() => URL.revokeObjectURL(content), 1000);
  };

  const download = async (figure, kind) => {
    if (kind in payload.datasets) {
      save(`${kind}.csv`, URL.createObjectURL(new Blob([await text(kind)], { type: "text/csv" })));
      return;
    }
    const view = views.get(figure);
    view.background("white");
    const url = kind === "svg"
      ? URL.createObjectURL(new Blob([await view.toSVG()], { type: "image/svg+xml" }))
      : await view.toImageURL("png", 2);
    view.background(null);
    save(`${figure.dataset.figure}.${kind}`, url);
  };

  const filter = (article) => {
    const wanted = {};
    for (const control of article.querySelectorAll("[data-filter]")) {
      const value = control.type === "checkbox" ? (control.checked ? "true" : "") : control.value;
      if (value) wanted[control.dataset.filter] = value;
    }
    let shown = 0;
    for (const row of article.querySelectorAll(".raw tbody tr")) {
      row.hidden = Object.entries(wanted).some(([name, value]) => row.dataset[name] !== value);
      if (!row.hidden) shown += 1;
    }
    article.querySelector("[data-shown]").textContent = shown;
  };

  const sortBy = (heading) => {
    const table = heading.closest("table");
    const column = [...heading.parentElement.children].indexOf(heading);
    const direction = heading.getAttribute("aria-sort") === "ascending" ? "descending" : "ascending";
    for (const other of heading.parentElement.children) other.removeAttribute("aria-sort");
    heading.setAttribute("aria-sort", direction);
    const key = (row) => {
      const cell = row.children[column];
      const data = cell.querySelector("data");
      return data && data.value !== "" && !Number.isNaN(Number(data.value)) ? Number(data.value) : cell.textContent.trim();
    };
    const sign = direction === "ascending" ? 1 : -1;
    const compare = (one, other) => {
      const [a, b] = [key(one), key(other)];
      if (typeof a === "number" && typeof b === "number") return sign * (a - b);
      if (typeof a !== typeof b) return typeof a === "number" ? -1 : 1;
      return sign * a.localeCompare(b, undefined, { numeric: true });
    };
    const body = table.tBodies[0];
    body.append(...[...body.rows].sort(compare));
  };

  const show = (code) => {
    for (const article of document.querySelectorAll(".language")) article.hidden = article.id !== code;
    document.documentElement.lang = code;
    document.title = document.querySelector(`#${code} h1`).textContent;
    return drawAll(document.getElementById(code));
  };

  for (const article of document.querySelectorAll(".language")) {
    article.addEventListener("change", (event) => {
      const control = event.target;
      const figure = control.closest("figure");
      if (control.matches("[data-filter]")) filter(article);
      if (control.matches("[data-chooser]")) choose(figure, control.value);
      if (control.matches("[data-switch]")) views.get(figure).signal(control.dataset.switch, control.checked).runAsync();
    });
    article.addEventListener("input", (event) => {
      if (event.target.matches("[data-moment]")) tell(event.target.closest("figure"), article);
    });
    article.addEventListener("click", (event) => {
      const control = event.target.closest("button, a");
      if (!control) return;
      if (control.matches(".sort")) sortBy(control.closest("th"));
      if (control.matches("[data-language]")) {
        show(control.dataset.language);
        history.replaceState(null, "", `#${control.dataset.language}`); // a reload stays in this language
        document.querySelector(`#${control.dataset.language} [data-language="${control.dataset.language}"]`).focus();
      }
      if (control.matches("[data-download]")) {
        event.preventDefault();
        download(control.closest("figure"), control.dataset.download);
      }
    });
  }

  const asked = location.hash.slice(1).split("-")[0];
  const first = document.querySelector(".language").id;
  requestAnimationFrame(() => setTimeout(async () => {
    await show(asked in payload.languages ? asked : first);
    // What was hidden while the page was loaded could not be scrolled to.
    if (asked !== first) document.getElementById(location.hash.slice(1))?.scrollIntoView();
  }));
})();
