"""Headless Chromium, driven through Selenium; `tools/setup.sh web` installs both."""

from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By


class Browser:
    """Screenshots go to the directory `keep`, if there is one."""

    def __init__(self, keep):
        options = webdriver.ChromeOptions()
        options.binary_location = "/usr/bin/chromium"
        for flag in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"):
            options.add_argument(flag)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        self.driver = webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)
        self.keep = keep

    def open(self, path, width=1440, scheme="light", height=900):
        self.look(width, scheme, height)
        self.driver.get(path.resolve().as_uri())

    def look(self, width, scheme, height=900):
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                                    {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500})
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia",
                                    {"features": [{"name": "prefers-color-scheme", "value": scheme}]})

    def js(self, code, *arguments):
        return self.driver.execute_script(code, *arguments)

    def find(self, selector):
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def all(self, selector):
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def hover(self, element):
        self.js("arguments[0].scrollIntoView({block: 'center'})", element)
        ActionChains(self.driver).move_to_element(element).perform()

    def background(self, element):
        return self.js("return getComputedStyle(arguments[0]).backgroundColor", element)

    def picture(self, name):
        if self.keep:
            self.driver.save_screenshot(str(self.keep / f"{name}.png"))
